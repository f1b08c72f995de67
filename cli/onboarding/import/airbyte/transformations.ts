import type { Expression } from '#lib/extractor/functions/expression/expression-tree.ts'
import { isObject } from '#lib/extractor/php/php-values.ts'
import { rowPath } from '#lib/extractor/records/row-path.ts'
import type { Json, JsonObject } from '#lib/extractor/tables/json-value.ts'
import { member, written } from '../translate.ts'
import { expressionOf, readText, type Scope } from './values.ts'

/** `records` of a job for the transformations of a stream, in their order. What has no counterpart is reported. */
export const recordsOf = (given: Json | undefined, path: string, scope: Scope): JsonObject[] =>
  [given ?? []]
    .flat()
    .filter(isObject)
    .flatMap((one, index) => {
      const at = `${path}.${index}`
      const type = String(one['type'])
      const condition = String(one['condition'] ?? '')
      if (type === 'AddFields') return additions(one['fields'], condition, at, scope)
      if (type === 'RemoveFields' && condition === '')
        return removal(one['field_pointers'], `${at}.field_pointers`, scope)
      scope.report.lost(
        at,
        `the transformation ${type}${condition === '' ? '' : ' under a condition'}: columns are as the API has them`,
      )
      return []
    })

/** A step for each field: it may read the one before. Where a condition is false the field stays as it was. */
const additions = (given: Json | undefined, condition: string, path: string, scope: Scope): JsonObject[] => {
  const ofRow = { ...scope, names: { record: 'row' } }
  const test = condition === '' ? undefined : readText(condition, `${path}.condition`, ofRow)
  if (condition !== '' && test === undefined) return []
  return [given ?? []]
    .flat()
    .filter(isObject)
    .flatMap((field, index) => {
      const at = `${path}.fields.${index}`
      const name = pathOf([field['path'] ?? []].flat(), at, scope)
      const value = name === undefined ? undefined : addedValue(field['value'] ?? '', test, name, at, ofRow)
      return name === undefined || value === undefined ? [] : [{ add: { [name]: value } }]
    })
}

const addedValue = (
  given: Json,
  test: Expression | undefined,
  name: string,
  path: string,
  scope: Scope,
): Json | undefined => {
  if (test === undefined) return expressionOf(given, path, scope)
  const yes =
    typeof given === 'string' ? readText(given, path, scope) : ({ kind: 'value', value: given } as const)
  return yes && written({ kind: 'if', test, yes, no: member('row', name.split('.')) })
}

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
