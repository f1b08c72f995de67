import { UserError } from '../../errors/errors.ts'
import type { Json } from '../../json/json-value.ts'
import type { Job } from '../config/job-schema.ts'
import { evaluate } from '../values/functions/evaluate.ts'
import { toText } from '../values/php/php-values.ts'
import { valueAt } from '../values/select/json-path.ts'

/** A placeholder with the value for one request. `path` names the column `parent_<path>`. */
export interface Placeholder {
  name: string
  path: string
  value: Json
}

/**
 * The values of a child's placeholders for one parent row: one set per request. A list value makes one request per
 * element; several lists make every combination, the last varying fastest (docs/reference/extractor-jobs.md#child-jobs).
 *
 * @param rows the parent row, then its parents
 * @param inherited placeholders of the parent's own request; a same-named deeper one wins in its place
 * @throws UserError `extractor.placeholder` for a level or a path that is not there
 */
export const resolvePlaceholders = (
  placeholders: Job['placeholders'],
  rows: readonly Json[],
  inherited: readonly Placeholder[],
  now: number,
): Placeholder[][] => {
  const byName = new Map(inherited.map(placeholder => [placeholder.name, placeholder]))
  for (const [name, definition] of Object.entries(placeholders ?? {})) {
    const placeholder = resolve(name, definition, rows, now)
    if (placeholder === undefined) return []
    byName.set(name, placeholder)
  }
  return combinations([...byName.values()])
}

const resolve = (
  name: string,
  definition: string | { path: string; missing?: 'fail' | 'skip' | undefined },
  rows: readonly Json[],
  now: number,
): Placeholder | undefined => {
  const level = levelOf(name)
  const path = typeof definition === 'string' ? definition : definition.path
  if (level < 1 || level > rows.length) {
    throw new UserError(
      'extractor.placeholder',
      `Level ${level} not found in parent results! Maximum level: ${rows.length}`,
    )
  }
  const value = valueAt(path, rows[level - 1])
  const isSkipped = typeof definition === 'object' && definition.missing === 'skip'
  if (value === undefined) {
    if (isSkipped) return undefined
    throw new UserError(
      'extractor.placeholder',
      `No value found for ${name} in parent result. (level: ${level})`,
    )
  }
  if (typeof definition === 'string') return { name, path, value }
  const { path: _path, missing: _missing, ...expression } = definition
  if (Object.keys(expression).length === 0) return { name, path, value }
  const context = { placeholder: { value }, parent: rows[level - 1] ?? null }
  const made = evaluate(expression, context, { path: `placeholders.${name}`, now, isPlaceholder: true })
  return made === null && isSkipped ? undefined : { name, path, value: made }
}

/** 1 is the row above, 2 the one above that. */
const levelOf = (name: string): number => (/^\d+:/.test(name) ? Number.parseInt(name, 10) : 1)

/** Whether a placeholder that may be missing (`"missing": "skip"`) finds nothing at its path. */
export const lacksValue = (placeholders: Job['placeholders'], rows: readonly Json[]): boolean =>
  Object.entries(placeholders ?? {}).some(
    ([name, given]) =>
      typeof given === 'object' &&
      given.missing === 'skip' &&
      valueAt(given.path, rows[levelOf(name) - 1] ?? null) === undefined,
  )

/** Each is a request, and all are made at once. */
const MAX_COMBINATIONS = 100_000

const combinations = (placeholders: readonly Placeholder[]): Placeholder[][] => {
  const lists = placeholders.map(placeholder => ({
    placeholder,
    values: Array.isArray(placeholder.value) ? placeholder.value : [placeholder.value],
  }))
  const count = lists.reduce((product, { values }) => product * values.length, 1)
  if (count > MAX_COMBINATIONS)
    throw new UserError(
      'extractor.placeholder',
      `The placeholders ${placeholders.map(({ name }) => name).join(', ')} have ${count} combinations of one row, more than ${MAX_COMBINATIONS}.`,
    )
  return lists.reduce<Placeholder[][]>(
    (sets, { placeholder, values }) =>
      sets.flatMap(set => values.map(value => [...set, { ...placeholder, value }])),
    [[]],
  )
}

/** Puts the values into an endpoint: `{name}`, raw and without escaping, as Generic Extractor does. */
export const fillEndpoint = (endpoint: string, placeholders: readonly Placeholder[]): string =>
  placeholders.reduce(
    (filled, { name, value }) => filled.replaceAll(`{${name}}`, () => toText(value)),
    endpoint,
  )

/**
 * The first value that its place in the endpoint cuts or changes, as `#` does in a path: `C#` in `langs/{id}` asks for `langs/C`. A value that
 * the endpoint begins with is an address.
 */
export const cutValue = (endpoint: string, placeholders: readonly Placeholder[]): string | undefined => {
  for (const { name, value } of placeholders) {
    const at = endpoint.indexOf(`{${name}}`, 1)
    const cuts = endpoint.slice(0, at).includes('?') ? /[#&+]/ : /[#?]/
    if (at > 0 && cuts.test(toText(value))) return `'${toText(value)}' as {${name}}`
  }
  return undefined
}

/** The columns that link a child row to its parent: `parent_<path>`, an existing `parent_` not doubled. */
export const parentColumns = (placeholders: readonly Placeholder[]): Record<string, Json> =>
  Object.fromEntries(
    placeholders.map(({ path, value }) => [path.startsWith('parent_') ? path : `parent_${path}`, value]),
  )
