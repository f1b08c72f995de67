import { UserError } from '#lib/errors/errors.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { inOrder } from '#lib/json/key-order.ts'
import { phpJsonEncode } from '../values/php/php-json-encode.ts'
import { safeName } from '../values/php/safe-name.ts'

/** Columns that tell the rows of a nested list apart, from load to load: those of `keyLists`. */
export const listKey = ['JSON_parentKey', 'JSON_position'] as const

type Columns = Readonly<Record<string, Json>>

/**
 * Gives the elements of all lists in the rows a key: that of their row, and their place in the list, from 0.
 *
 * `{"id": 7, "lines": [{"sku": "a"}, {"sku": "b"}]}` becomes
 * `{"id": 7, "lines": [{"sku": "a", "JSON_parentKey": 7, "JSON_position": 0}, {"sku": "b", "JSON_parentKey": 7, "JSON_position": 1}]}`
 *
 * The key of a row with several columns, or of an element, is a JSON list of its parts. What is no object becomes `{"data": it, …}`, which
 * gives a scalar the same column.
 *
 * @param primaryKey columns of the row's table
 * @param parents columns that a job adds to each row
 * @throws UserError `extractor.incremental.noKey` for members of these names
 */
export const keyLists = (
  rows: readonly Json[],
  primaryKey: readonly string[],
  parents: Columns = {},
): Json[] =>
  rows.map(row => {
    if (!isObject(row) || !Object.values(row).some(value => typeof value === 'object' && value !== null))
      return row
    const key = primaryKey.map(column => parents[column] ?? valueOfColumn(row, column) ?? null)
    return withKeys(row, key)
  })

const withKeys = (object: JsonObject, key: readonly Json[]): JsonObject =>
  Object.entries(object).reduce((changed, [name, value]) => {
    if (isObject(value)) return withMember(changed, name, withKeys(value, key))
    return Array.isArray(value) ? withMember(changed, name, keyedList(value, key)) : changed
  }, object)

const keyedList = (list: readonly Json[], key: readonly Json[]): Json => {
  const [parentName, positionName] = listKey
  const parentKey = key.length === 1 ? (key[0] ?? null) : phpJsonEncode([...key], true)
  return list.map((element, position) => {
    const row = isObject(element) ? element : { data: element }
    const taken = listKey.find(name => Object.hasOwn(row, name))
    if (taken !== undefined)
      throw new UserError(
        'extractor.incremental.noKey',
        `A list inside the rows has members "${taken}", so its rows get no key. Give it a mapping, or keep it as JSON with "responseFilter".`,
      )
    const keyed = withKeys(row, [...key, position])
    return withMember(withMember(keyed, parentName, parentKey), positionName, position)
  })
}

/** The value that becomes this column: `user_id` is `{"user": {"id": 1}}` or `{"user_id": 1}`. */
const valueOfColumn = (object: JsonObject, column: string): Json | undefined => {
  for (const [name, value] of Object.entries(object)) {
    const safe = safeName(name)
    if (safe === column) return value
    const found =
      isObject(value) && column.startsWith(`${safe}_`)
        ? valueOfColumn(value, column.slice(safe.length + 1))
        : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** The object with a member replaced in its place, or added at the end. */
const withMember = (object: JsonObject, key: string, value: Json): JsonObject =>
  inOrder({ ...object, [key]: value }, [...Object.keys(object), key])
