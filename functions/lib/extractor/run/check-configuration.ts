import { UserError } from '../../errors/errors.ts'
import { isObject } from '../../json/json-value.ts'
import { checkShape, missingSections } from '../config/check-shape.ts'
import { type ExtractorConfig, parseConfig } from '../config/parse-config.ts'
import { readMapping } from '../tables/mapping.ts'
import { checkLoads } from '../tables/table-loads.ts'
import { planJobs } from './job-plan.ts'

/**
 * Checks a configuration as a run would. What only Generic Extractor accepts gives warnings: the configuration may be
 * stored, but does not run until it is corrected.
 *
 * A configuration that is not complete (a draft, or a root whose rows hold the jobs) is checked as far as possible.
 * References are not looked up: their values exist only in a run.
 *
 * @throws UserError as the extraction would at its start, for what could never run
 */
export const checkConfiguration = (configuration: Readonly<Record<string, unknown>>): string[] => {
  const { parameters } = configuration
  if (!isObject(parameters)) return []
  checkShape(configuration)
  const { config, isWhole } = completed({ ...configuration, parameters })
  const { parsed, warnings } = parse(config)
  try {
    if (isWhole) checkLoads(parsed)
    for (const { config } of parsed.runs) {
      planJobs(config.jobs, { compatLevel: Number(config.compatLevel ?? 3), compat: parsed.compat })
      for (const [type, mapping] of Object.entries(config.mappings ?? {})) readMapping(type, mapping)
    }
  } catch (error) {
    if (!(error instanceof UserError) || warnings.length === 0) throw error
    // What could never run is one problem, what runs only with "compat" another: both are said
    throw new UserError(error.code, [error.message, ...warnings].join('\n'), { cause: error })
  }
  return warnings
}

const parse = (config: unknown): { parsed: ExtractorConfig; warnings: string[] } => {
  try {
    return { parsed: parseConfig(config), warnings: [] }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const repaired = parseConfig(config, { compat: true })
    return {
      // Without what is unknown, and for the rest of the checks as it is meant
      parsed: { ...repaired, compat: false },
      warnings: [
        `${error.message}\nIt will not run like this; with "compat": true in parameters.config it does.`,
      ],
    }
  }
}

type Sections = Record<string, unknown> & { parameters: Record<string, unknown> }

/** The configuration with what every one needs, and whether it had that itself. */
const completed = (configuration: Sections): { config: unknown; isWhole: boolean } => {
  // The platform sets this one for each run
  const { action: _, ...rest } = configuration
  const { api, config, iterations, ...others } = rest.parameters
  const missing = missingSections(configuration)
  const jobs = missing.includes('parameters.config.jobs') && { jobs: [{ endpoint: 'example' }] }
  const parameters = {
    ...others,
    api: isObject(api) || api === undefined ? { baseUrl: 'https://example.com/', ...api } : api,
    config: isObject(config) || config === undefined ? { ...config, ...jobs } : config,
    // The rows of an input table exist only in a run: check with one
    ...(isObject(iterations) ? { iterations: [{}] } : iterations === undefined ? {} : { iterations }),
  }
  return { config: { ...rest, parameters }, isWhole: missing.length === 0 }
}
