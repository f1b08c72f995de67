import { JsonNumber } from '#lib/json/json-number.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { inOrder } from '#lib/json/key-order.ts'
import { phpFloat } from './php-float.ts'
import { isInteger, phpInteger } from './php-number.ts'

/** Columns laid over a row before it is hashed: same keys replaced in place, new ones appended. */
export type ExtraColumns = Readonly<Record<string, Json>>

const notAscii = /[^\0-\x7f]/

/** PHP's `serialize` of a value decoded from JSON: objects are `stdClass`, string lengths are in bytes. */
export const phpSerialize = (value: Json): string => {
  switch (typeof value) {
    case 'string':
      return serializeString(value)
    case 'number':
      return isInteger(value) ? `i:${value};` : `d:${phpFloat(value, 17)};`
    case 'boolean':
      return value ? 'b:1;' : 'b:0;'
    default:
      if (value === null) return 'N;'
      if (Array.isArray(value)) return serializeList(value)
      if (value instanceof JsonNumber) return serializeNumber(value)
      return serializeObject(value)
  }
}

/** `serialize` of a row object with its parent and user data columns. */
export const phpSerializeRow = (row: JsonObject, extra: ExtraColumns | undefined): string => {
  if (extra === undefined) return serializeObject(row)
  let added = ''
  let replaced = false
  let count = 0
  for (const key in extra) {
    if (Object.hasOwn(row, key)) replaced = true
    else {
      // `key` is an own key of `extra`, so the value is there.
      added += serializeString(key) + phpSerialize(extra[key] as Json)
      count++
    }
  }
  const changed = replaced ? inOrder({ ...row, ...pick(extra, row) }, Object.keys(row)) : row
  const fields = serializeFields(changed)
  return `O:8:"stdClass":${fields.count + count}:{${fields.text}${added}}`
}

/** PHP's `serialize` of a string-keyed array (user data in mapped tables). */
export const phpSerializeArray = (columns: ExtraColumns): string => {
  let text = ''
  let count = 0
  for (const key in columns) {
    const isIntegerKey = /^(0|-?[1-9]\d{0,17})$/.test(key)
    text += (isIntegerKey ? `i:${key};` : serializeString(key)) + phpSerialize(columns[key] as Json) // own key, see above
    count++
  }
  return `a:${count}:{${text}}`
}

const serializeString = (value: string): string => {
  const bytes = notAscii.test(value) ? Buffer.byteLength(value) : value.length
  return `s:${bytes}:"${value}";`
}

const keyTexts = new Map<string, string>()
const MAX_KEY_TEXTS = 10_000

/** Rows repeat their keys, so their texts are kept; ids as keys would not pay and are not. */
const serializeKey = (key: string): string => {
  let text = keyTexts.get(key)
  if (text === undefined) {
    text = serializeString(key)
    if (keyTexts.size < MAX_KEY_TEXTS) keyTexts.set(key, text)
  }
  return text
}

const serializeNumber = (value: JsonNumber): string => {
  const integer = phpInteger(value)
  return integer === undefined ? `d:${phpFloat(value.valueOf(), 17)};` : `i:${integer};`
}

const serializeList = (list: readonly Json[]): string => {
  let text = `a:${list.length}:{`
  for (let i = 0; i < list.length; i++) text += `i:${i};${phpSerialize(list[i] as Json)}` // within the length
  return `${text}}`
}

const serializeObject = (object: JsonObject): string => {
  const { text, count } = serializeFields(object)
  return `O:8:"stdClass":${count}:{${text}}`
}

const serializeFields = (object: JsonObject): { text: string; count: number } => {
  let text = ''
  let count = 0
  for (const key in object) {
    text += serializeKey(key) + phpSerialize(object[key] as Json) // own key of parsed JSON
    count++
  }
  return { text, count }
}

const pick = (extra: ExtraColumns, row: JsonObject): JsonObject => {
  const common: JsonObject = {}
  for (const key in extra) if (Object.hasOwn(row, key)) common[key] = extra[key] as Json // own key
  return common
}
