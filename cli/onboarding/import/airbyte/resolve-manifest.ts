import { UserError } from '#lib/errors/errors.ts'
import { isObject } from '#lib/extractor/php/php-values.ts'
import { valueAtKeys } from '#lib/extractor/select/json-path.ts'
import type { Json, JsonObject } from '#lib/extractor/tables/json-value.ts'
import type { Report } from '../report.ts'

/** References may lead in circles. */
const DEEPEST = 60

/** A component that is referred to twice by one that is referred to twice … */
const MOST_VALUES = 100_000

/**
 * A manifest with its references followed (`$ref`, and texts that begin with `#/`) and its `$parameters` handed down: each component gets those
 * that are named as one of its keys would be, and texts get the values of `{{ parameters['x'] }}`.
 *
 * @throws UserError `cli.usage` when the references make very much of little
 */
export const resolveManifest = (manifest: JsonObject, report: Report): JsonObject => {
  const follow = (reference: string, path: string): Json => {
    const found = valueAtKeys(reference.slice(2).split('/'), manifest)
    if (found === undefined) report.lost(path, `the reference ${reference} leads nowhere`)
    return found ?? {}
  }
  let values = 0
  const resolve = (value: Json, parameters: JsonObject, path: string, depth: number): Json => {
    if (depth > DEEPEST) return null
    if (++values > MOST_VALUES)
      throw new UserError(
        'cli.usage',
        `The references of the manifest lead to more than ${MOST_VALUES} values, at ${path}.`,
      )
    if (typeof value === 'string')
      return value.startsWith('#/')
        ? resolve(follow(value, path), parameters, path, depth + 1)
        : filled(value, parameters)
    if (Array.isArray(value))
      return value.map((item, index) => resolve(item, parameters, `${path}.${index}`, depth + 1))
    if (!isObject(value)) return value
    const { $ref, $parameters, ...own } = value
    const base = typeof $ref === 'string' ? follow($ref, path) : {}
    const whole: JsonObject = { ...(isObject(base) ? base : {}), ...own }
    const inherited: JsonObject = {
      ...parameters,
      ...(isObject(base) && isObject(base['$parameters']) ? base['$parameters'] : {}),
      ...(isObject($parameters) ? $parameters : {}),
    }
    delete whole['$parameters']
    if (typeof whole['$ref'] === 'string')
      return resolve({ ...whole, $parameters: inherited }, {}, path, depth + 1)
    return Object.fromEntries(
      Object.entries(whole).map(([key, inner]) => [
        key,
        // A list of records is data, and so is a schema: neither holds components
        key === 'schema_loader'
          ? inner
          : resolve(inner, inherited, path === '' ? key : `${path}.${key}`, depth + 1),
      ]),
    )
  }
  const resolved = Object.fromEntries(
    Object.entries(manifest).map(([key, value]) => [
      key,
      key === 'definitions' || key === 'spec' ? value : resolve(value, {}, key, 0),
    ]),
  )
  return resolved
}

const filled = (text: string, parameters: JsonObject): string =>
  text.replace(
    /\{\{\s*parameters(?:\[['"](\w+)['"]\]|\.(\w+)|\.get\(['"](\w+)['"][^)]*\))\s*\}\}/g,
    (whole, a, b, c) => {
      const value = parameters[a ?? b ?? c]
      return value === undefined || isObject(value) ? whole : String(value)
    },
  )
