import type * as z from 'zod'
import { didYouMean } from '../../errors/did-you-mean.ts'
import { UserError } from '../../errors/errors.ts'
import { isObject } from '../../json/json-value.ts'
import { hasKey, isTooDeep, MAX_JSON_DEPTH } from '../../json-shape.ts'
import { isEmpty } from '../values/php/php-values.ts'
import { Config, ConfigFile, configKeys } from './config-schema.ts'
import { dropEditorKeys, repair, sayProblems } from './problems.ts'

/** A configuration that passed the schema, one entry of `runs` per iteration. */
export interface ExtractorConfig {
  file: ConfigFile
  api: ConfigFile['parameters']['api']
  /** `config` with the iteration's keys laid over it; `attributes` is what `attr` sees of it. */
  runs: { config: Config; attributes: Record<string, unknown> }[]
  /** Behave like Generic Extractor where we differ (docs/reference/extractor.md#compat). */
  compat: boolean
}

/**
 * Reads a whole `config.json`.
 *
 * Unknown keys are errors that name the path and the key that was probably meant; with `compat` (or `"compat": true`
 * under `parameters.config`) they are dropped silently, as in Generic Extractor.
 *
 * @throws UserError `extractor.config.invalid` with one line per problem
 */
export const parseConfig = (input: unknown, options: { compat?: boolean } = {}): ExtractorConfig => {
  const compat = options.compat === true || asksForCompat(input)
  refuseMissingSections(input)
  const file = read(ConfigFile, input, compat)
  if (!compat) refuseMisspelt(file)
  // `iterations` replaces whole keys of `config` (docs/reference/extractor.md#iterations), so the raw section is the
  // base
  const raw = rawConfig(input)
  const iterations = file.parameters.iterations ?? []
  const runs = (iterations.length === 0 ? [{}] : iterations).map((iteration, index) => {
    const merged = { ...raw, ...iteration }
    const path = iterations.length === 0 ? ['parameters', 'config'] : ['parameters', 'iterations', index]
    const { jobs: _, ...attributes } = merged
    return { config: read(Config, merged, compat, path), attributes }
  })
  return { file, api: file.parameters.api, runs, compat }
}

const read = <Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  compat: boolean,
  path: PropertyKey[] = [],
): z.output<Schema> => {
  const first = schema.safeParse(input)
  if (first.success) return first.data
  const repaired = first.error.issues.reduce(compat ? repair : dropEditorKeys, input)
  if (repaired === input) throw invalid(sayProblems(first.error.issues, schema, input), path)
  return read(schema, repaired, compat, path)
}

const invalid = (
  issues: readonly Pick<z.core.$ZodIssue, 'message' | 'path'>[],
  path: readonly PropertyKey[] = [],
): UserError => {
  const problems = issues.map(({ message, path: below }) => ({
    place: [...path, ...below].map(String).join('.'),
    message,
  }))
  const lines = problems.map(({ place, message }) => (place === '' ? message : `${message} at ${place}`))
  return new UserError('extractor.config.invalid', `Invalid configuration: ${lines.join('\n')}`, {
    params: { problems },
  })
}

const refuse = (message: string, path: readonly PropertyKey[] = []): never => {
  throw invalid([{ message, path: [...path] }])
}

const section = (input: unknown, key: string): unknown => (isObject(input) ? input[key] : undefined)

const rawConfig = (input: unknown): Record<string, unknown> => {
  const config = section(section(input, 'parameters'), 'config')
  return isObject(config) ? config : {}
}

const asksForCompat = (input: unknown): boolean =>
  [true, 1, '1'].includes(rawConfig(input)['compat'] as boolean) // any value may be tested for membership

const refuseMissingSections = (input: unknown): void => {
  const parameters = section(input, 'parameters')
  const refuse = (message: string) => new UserError('extractor.config.invalid', message)
  for (const key of ['config', 'api']) {
    const found = section(parameters, key)
    if (!isObject(found) || Object.keys(found).length === 0)
      throw refuse(`The '${key}' section is required in the configuration.`)
  }
  if (!section(section(parameters, 'api'), 'baseUrl'))
    throw refuse(`The 'baseUrl' attribute must be set in API configuration`)
}

/** Credentials of basic authentication are read by name, not by reference. */
const readByName = new Set(['username', 'password', '#username', '#password'])

/**
 * `config` may hold any attribute, so a misspelt option there cannot be told from one by its name alone. It is refused
 * when it looks like a known key and nothing in the configuration reads it.
 */
const refuseMisspelt = (file: ConfigFile): void => {
  const references = new Set(attributeReferences(file))
  for (const key of Object.keys(file.parameters.config)) {
    if (configKeys.includes(key) || readByName.has(key) || references.has(key)) continue
    const meant = didYouMean(key, configKeys)
    if (meant !== undefined)
      refuse(`unknown key "${key}" (did you mean "${meant}"?)`, ['parameters', 'config'])
  }
}

/** The first step of every path that an `attr` reference names. */
function* attributeReferences(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'attr' && typeof inner === 'string') {
      yield inner
      yield inner.split('.')[0] ?? inner
    }
    yield* attributeReferences(inner)
  }
}

/**
 * Bucket without `in.c-`: as configured, else from the API's name and the configuration's id, else none
 * (docs/reference/extractor.md#config).
 */
export const outputBucket = (
  api: ExtractorConfig['api'],
  config: ExtractorConfig['runs'][number]['config'],
): string | undefined => {
  if (!isEmpty(config.outputBucket)) return config.outputBucket
  return isEmpty(config.id) ? undefined : `ex-api-${api.name || 'generic'}-${config.id}`
}

/** What is read in each iteration, by the bucket that it is written to. */
export const iterationsByBucket = ({ api, runs }: ExtractorConfig): Map<string | undefined, Config[]> =>
  Map.groupBy(
    runs.map(({ config }) => config),
    config => outputBucket(api, config),
  )

/**
 * Refuses a configuration of a shape that what reads it need not expect. To be called before anything walks through it.
 *
 * @throws UserError `extractor.config.invalid`
 */
export const checkShape = (input: unknown): void => {
  if (isTooDeep(input)) refuse(`it is nested more than ${MAX_JSON_DEPTH} deep`)
  // A parameter of this name would be lost silently
  if (hasKey(input, '__proto__')) refuse('"__proto__" cannot be the name of a key')
}
