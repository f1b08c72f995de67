import { JsonNumber } from '#lib/json/json-number.ts'
import type { Json } from '#lib/json/json-value.ts'
import { isInteger, phpFloat, phpInteger } from './php-number.ts'
import { cellText, isScalar } from './php-values.ts'

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

/**
 * PHP's `json_encode` of a decoded value: `\/`, `\u00e9` for everything outside ASCII, doubles with 17 digits.
 * With `keepNumbers` numbers keep the text that the API sent.
 */
export const phpJsonEncode = (value: Json, keepNumbers: boolean): string => {
  switch (typeof value) {
    case 'string':
      return encodeString(value)
    case 'number':
      return keepNumbers || isInteger(value) ? `${value}` : phpFloat(value, 17, 'e')
    case 'boolean':
      return value ? 'true' : 'false'
    default:
      if (value === null) return 'null'
      if (Array.isArray(value)) return `[${value.map(item => phpJsonEncode(item, keepNumbers)).join(',')}]`
      if (value instanceof JsonNumber) return encodeNumber(value, keepNumbers)
      return `{${Object.keys(value)
        .map(key => `${encodeString(key)}:${phpJsonEncode(value[key] as Json, keepNumbers)}`) // its own keys
        .join(',')}}`
  }
}

const encodeNumber = (value: JsonNumber, keepNumbers: boolean): string => {
  if (keepNumbers) return value.text
  return phpInteger(value) ?? phpFloat(value.valueOf(), 17, 'e')
}

/** JavaScript escapes quotes, backslashes, control characters and lone surrogates; PHP also `/`, DEL no, and all above ASCII. */
const encodeString = (value: string): string =>
  JSON.stringify(value)
    .replaceAll('/', '\\/')
    .replace(/[^\0-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** PHP's `var_export`, as in Generic Extractor's message about an object in a column. */
export const phpVarExport = (value: Json, indent = ''): string => {
  if (value === null) return 'NULL'
  if (typeof value === 'boolean') return `${value}`
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  if (isScalar(value)) return cellText(value, true)
  if (Array.isArray(value)) {
    return lines(
      'array (',
      indent,
      '  ',
      value.map((item, i) => [`${i}`, item]),
    )
  }
  // A key of the object is there.
  return lines(
    '(object) array(',
    indent,
    '   ',
    Object.keys(value).map(key => [phpVarExport(key), value[key] as Json]),
  )
}

const lines = (
  open: string,
  indent: string,
  step: string,
  entries: readonly (readonly [string, Json])[],
): string => {
  const body = entries.map(([key, value]) => {
    const isNested = typeof value === 'object' && value !== null && !isScalar(value)
    const text = phpVarExport(value, `${indent}  `)
    return `${indent}${step}${key} => ${isNested ? `\n${indent}  ` : ''}${text},\n`
  })
  return `${open}\n${body.join('')}${indent})`
}
