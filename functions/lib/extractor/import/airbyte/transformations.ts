import { isObject } from '../../php/php-values.ts'
import type { Json, JsonObject } from '../../tables/json-value.ts'
import { readTemplate } from '../template.ts'
import { expressionOf, type Scope } from './values.ts'

/** Fields with a value that is the same in all rows, as user data. All other transformations are reported. */
export const addedFields = (given: Json | undefined, path: string, scope: Scope): JsonObject => {
  const added: JsonObject = {}
  for (const [index, one] of [given ?? []].flat().filter(isObject).entries()) {
    const at = `${path}.${index}`
    if (one['type'] !== 'AddFields' || (one['condition'] ?? '') !== '') {
      scope.report.lost(at, `the transformation ${String(one['type'])}: columns are as the API has them`)
      continue
    }
    for (const [number, field] of [one['fields'] ?? []].flat().filter(isObject).entries()) {
      const name = [field['path']].flat().map(String).join('_')
      const parts = readTemplate(String(field['value'] ?? ''))
      const isOfParent = parts?.some(part => 'root' in part && part.root !== 'config')
      const value =
        isOfParent === true
          ? parentOf(parts, scope)
          : expressionOf(field['value'] ?? '', `${at}.fields.${number}`, scope)
      if (value === undefined && isOfParent === true)
        scope.report.lost(
          `${at}.fields.${number}`,
          `the value ${String(field['value'])}; of a parent row its columns parent_… are there`,
        )
      if (value !== undefined) added[name] = value
    }
  }
  return added
}

/** A field of the partition whose value is known. */
const parentOf = (parts: ReturnType<typeof readTemplate>, { partition }: Scope): Json | undefined => {
  const [only] = parts ?? []
  const field =
    parts?.length === 1 && only !== undefined && 'root' in only
      ? partition.get(only.keys.join('.'))
      : undefined
  return field !== undefined && 'value' in field ? field.value : undefined
}
