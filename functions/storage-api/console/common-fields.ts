import * as z from 'zod/mini'
import { isContainer, isNumber, isObject } from '../../lib/json/json-value.ts'
import { objectOf } from '../../lib/json/key-order.ts'
import { parseJson } from '../../lib/json/parse-json.ts'

/** A place in a configuration: keys, and numbers of items in lists. */
type Path = readonly (string | number)[]

/** A field of the form beside the JSON of a configuration. */
export interface CommonField {
  /** Of the form: the path as JSON. */
  name: string
  label: string
  value: string
  kind: 'text' | 'list' | 'secret'
  hint?: string
}

const jobs = z.object({
  parameters: z.object({ config: z.object({ jobs: z.array(z.record(z.string(), z.unknown())) }) }),
})

const MAX_JOBS = 20

/** What most people change, and every secret. A secret has no value here: what is written replaces it. */
export const commonFields = (configuration: unknown): CommonField[] => {
  const field = (label: string, path: Path, kind: 'text' | 'list' = 'text', hint?: string): CommonField => ({
    name: JSON.stringify(path),
    label,
    kind,
    value: shownOf(valueAt(configuration, path)),
    ...(hint !== undefined && { hint }),
  })
  const listed = jobs.safeParse(configuration).data?.parameters.config.jobs ?? []
  return [
    field('Address of the API', ['parameters', 'api', 'baseUrl']),
    field('Bucket of the tables', ['parameters', 'config', 'outputBucket']),
    ...secretsIn(configuration).map(({ path, isSet }) => ({
      name: JSON.stringify(path),
      label: `Secret ${path.at(-1)}`,
      kind: 'secret' as const,
      value: '',
      hint: isSet ? 'It is set, and stays unless you write another one.' : 'It is empty.',
    })),
    ...listed.slice(0, MAX_JOBS).flatMap((job, index) => {
      const at = (key: string): Path => ['parameters', 'config', 'jobs', index, key]
      const of = listed.length === 1 ? '' : ` of ${shownOf(job['dataType'] ?? job['endpoint']) || index + 1}`
      return [
        ...(job['endpoint'] === undefined ? [] : [field(`Endpoint${of}`, at('endpoint'))]),
        field(`Table${of}`, at('dataType')),
        field(`Primary key${of}`, at('primaryKey'), 'list', 'Columns, separated by commas.'),
      ]
    }),
    field('Schedule', ['schedule', 'expression'], 'text', 'cron(0 6 * * ? *) or rate(1 hour); empty: none.'),
    field(
      'Time zone of the schedule',
      ['schedule', 'timezone'],
      'text',
      'Such as Europe/Prague; empty: UTC.',
    ),
  ]
}

/** The configuration with the fields that somebody has changed: the others are as they are in the JSON. */
export const applyFields = (configuration: unknown, form: Readonly<Record<string, string>>): unknown => {
  let changed = configuration
  for (const { name, kind, value } of commonFields(
    form['was'] === undefined ? configuration : parsed(form['was']),
  )) {
    const given = form[name]?.trim()
    if (given === undefined || given === value) continue
    const path = z.array(z.union([z.string(), z.number()])).parse(JSON.parse(name))
    const list = given.split(',').flatMap(column => column.trim() || [])
    changed = withValue(changed, path, given === '' ? undefined : kind === 'list' ? list : given)
  }
  return withoutEmptySchedule(changed)
}

const parsed = (text: string): unknown => {
  try {
    return parseJson(text)
  } catch {
    return {}
  }
}

const shownOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'string' || isNumber(value) ? String(value) : ''
}

const valueAt = (value: unknown, [key, ...rest]: Path): unknown => {
  if (key === undefined) return value
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return valueAt((value as Record<string | number, unknown>)[key], rest) // it has the key
}

/** A copy with another value, or without one. Objects on the way are made; what is there and no object stays. */
const withValue = (value: unknown, [key, ...rest]: Path, given: unknown): unknown => {
  if (key === undefined) return given
  if (typeof key === 'number')
    return Array.isArray(value)
      ? value.map((item, index) => (index === key ? withValue(item, rest, given) : item))
      : value
  const object = new Map<string, unknown>(isObject(value) ? Object.entries(value) : [])
  const inner = withValue(object.get(key), rest, given)
  if (inner === undefined) object.delete(key)
  else object.set(key, inner)
  return objectOf(object)
}

const withoutEmptySchedule = (value: unknown): unknown =>
  valueAt(value, ['schedule', 'expression']) === undefined && valueAt(value, ['schedule']) !== undefined
    ? withValue(value, ['schedule'], undefined)
    : value

/** Every value under a key that begins with `#`. */
const secretsIn = (value: unknown, path: Path = []): { path: Path; isSet: boolean }[] => {
  if (!isContainer(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const place = [...path, Array.isArray(value) ? Number(key) : key]
    if (!key.startsWith('#')) return secretsIn(inner, place)
    return typeof inner === 'string' ? [{ path: place, isSet: inner !== '' }] : []
  })
}
