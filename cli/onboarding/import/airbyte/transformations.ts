import { isObject } from '#lib/extractor/php/php-values.ts'
import { rowPath } from '#lib/extractor/records/row-path.ts'
import type { Json, JsonObject } from '#lib/extractor/tables/json-value.ts'
import { expressionOf, type Scope } from './values.ts'

/** `records` of a job for the transformations of a stream, in their order. What has no counterpart is reported. */
export const recordsOf = (given: Json | undefined, path: string, scope: Scope): JsonObject[] =>
  [given ?? []]
    .flat()
    .filter(isObject)
    .flatMap((one, index) => {
      const at = `${path}.${index}`
      const type = String(one['type'])
      if ((one['condition'] ?? '') !== '') {
        scope.report.lost(at, `the transformation ${type} under a condition: it is left out`)
        return []
      }
      if (type === 'AddFields') return additions(one['fields'], `${at}.fields`, scope)
      if (type === 'RemoveFields') return removal(one['field_pointers'], `${at}.field_pointers`, scope)
      scope.report.lost(at, `the transformation ${type}: columns are as the API has them`)
      return []
    })

/** A step for each field: it may read the one before. */
const additions = (given: Json | undefined, path: string, scope: Scope): JsonObject[] =>
  [given ?? []]
    .flat()
    .filter(isObject)
    .flatMap((field, index) => {
      const at = `${path}.${index}`
      const name = pathOf([field['path'] ?? []].flat(), at, scope)
      const value = name === undefined ? undefined : addedValue(field['value'] ?? '', at, scope)
      return name === undefined || value === undefined ? [] : [{ add: { [name]: value } }]
    })

const addedValue = (given: Json, path: string, scope: Scope): Json | undefined =>
  expressionOf(given, path, { ...scope, names: { record: 'row' } })

const removal = (given: Json | undefined, path: string, scope: Scope): JsonObject[] => {
  const pointers = [given ?? []].flat().map(pointer => [pointer].flat())
  const remove = pointers.flatMap((keys, index) => pathOf(keys, `${path}.${index}`, scope) ?? [])
  return remove.length === 0 ? [] : [{ remove }]
}

const pathOf = (keys: readonly Json[], path: string, { report }: Scope): string | undefined => {
  const texts = keys.map(String)
  const found = texts.join('.')
  const isPlain = texts.every(key => !/[.*[\]]|\{\{/.test(key)) && rowPath(found) !== undefined
  if (!isPlain) report.lost(path, `the field ${texts.join(', ')}: a pattern, or no name that a path can have`)
  return isPlain ? found : undefined
}
