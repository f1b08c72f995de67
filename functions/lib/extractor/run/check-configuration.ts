import { UserError } from '../../errors/errors.ts'
import { isObject } from '../../json/json-value.ts'
import { isTableIdForLoad } from '../../wire/storage-ids.ts'
import { missingSections } from '../config/component-config.ts'
import { checkShape, type ExtractorConfig, outputBucket, parseConfig } from '../config/parse-config.ts'
import { readMapping } from '../tables/mapping.ts'
import { checkLoads } from '../tables/table-loads.ts'
import { planJobs } from './job-plan.ts'

/**
 * Checks a configuration as a run would. Returns why it does not run until it is corrected, although Generic Extractor would run
 * it: such a one may be stored.
 *
 * A configuration that is not complete (a draft, or a root whose rows hold the jobs) is checked as far as possible.
 * References are not looked up: their values exist only in a run.
 *
 * @throws UserError as the extraction would at its start, for what could never run
 */
export const checkConfiguration = (
  configuration: Readonly<Record<string, unknown>>,
): UserError | undefined => {
  const { parameters } = configuration
  if (!isObject(parameters)) return undefined
  checkShape(configuration)
  const { config, isWhole } = completed({ ...configuration, parameters })
  const { parsed, mistake } = parse(config)
  try {
    if (isWhole) checkLoads(parsed)
    for (const { config } of parsed.runs) {
      checkBucket(configuration, outputBucket(parsed.api, config))
      planJobs(config.jobs, { compatLevel: Number(config.compatLevel ?? 3), compat: parsed.compat })
      for (const [type, mapping] of Object.entries(config.mappings ?? {})) readMapping(type, mapping)
    }
  } catch (error) {
    if (!(error instanceof UserError) || mistake === undefined) throw error
    // What could never run is one problem, what runs only with "compat" another: both are said
    throw new UserError(error.code, `${error.message}\n${mistake.message}`, { cause: error })
  }
  return mistake
}

/** Tables that no output mapping sends elsewhere go to this bucket. */
const checkBucket = ({ storage }: Readonly<Record<string, unknown>>, bucket: string | undefined): void => {
  const { tables } = isObject(storage) && isObject(storage['output']) ? storage['output'] : {}
  if (bucket === undefined || tables !== undefined || isTableIdForLoad(`in.c-${bucket}.t`)) return
  throw new UserError(
    'extractor.config.invalid',
    `Invalid configuration: "${bucket}" cannot be the name of a bucket, which has letters, digits, "-" and "_" at parameters.config.outputBucket`,
  )
}

const parse = (config: unknown): { parsed: ExtractorConfig; mistake?: UserError } => {
  try {
    return { parsed: parseConfig(config) }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const repaired = parseConfig(config, { compat: true })
    return {
      // Without what is unknown, and for the rest of the checks as it is meant
      parsed: { ...repaired, compat: false },
      mistake: new UserError(
        error.code,
        `${error.message}\nIt will not run like this; with "compat": true in parameters.config it does.`,
        { params: error.params, cause: error },
      ),
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
