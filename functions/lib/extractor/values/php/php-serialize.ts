import { JsonNumber } from '#lib/json/json-number.ts'
import type { Json } from '#lib/json/json-value.ts'
import { phpFloat } from './php-float.ts'
import { isInteger, phpInteger } from './php-number.ts'

/** Columns laid over a row before it is hashed: same keys replaced in place, new ones appended. */
export type ExtraColumns = Readonly<Record<string, Json>>

/** PHP's `serialize` of a value decoded from JSON: objects are `stdClass`, string lengths are in bytes. */
export const phpSerialize = (value: Json): string => {
  if (typeof value === 'string') return `s:${Buffer.byteLength(value)}:"${value}";`
  if (value === null) return 'N;'
  if (typeof value === 'number') return isInteger(value) ? `i:${value};` : `d:${phpFloat(value, 17)};`
  if (typeof value === 'boolean') return value ? 'b:1;' : 'b:0;'
  if (Array.isArray(value)) return serializeList(value)
  if (value instanceof JsonNumber) return serializeNumber(value)
  let fields = ''
  let count = 0
  for (const key in value) {
    fields += phpSerialize(key) + phpSerialize(value[key] as Json) // own key of parsed JSON
    count++
  }
  return phpObject(count, fields)
}

/** @param fields keys and values, each as PHP serialises it */
export const phpObject = (count: number, fields: string): string => `O:8:"stdClass":${count}:{${fields}}`

/** PHP's `serialize` of a string-keyed array (user data in mapped tables). */
export const phpSerializeArray = (columns: ExtraColumns): string => {
  let fields = ''
  let count = 0
  for (const key in columns) {
    const isIntegerKey = /^(0|-?[1-9]\d{0,17})$/.test(key)
    fields += (isIntegerKey ? `i:${key};` : phpSerialize(key)) + phpSerialize(columns[key] as Json) // own key
    count++
  }
  return `a:${count}:{${fields}}`
}

const serializeList = (values: readonly Json[]): string => {
  let text = ''
  for (let i = 0; i < values.length; i++) text += `i:${i};${phpSerialize(values[i] as Json)}` // within the length
  return `a:${values.length}:{${text}}`
}

const serializeNumber = (value: JsonNumber): string => {
  const integer = phpInteger(value)
  return integer === undefined ? `d:${phpFloat(value.valueOf(), 17)};` : `i:${integer};`
}
