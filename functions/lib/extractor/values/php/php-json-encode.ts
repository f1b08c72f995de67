import { JsonNumber } from '#lib/json/json-number.ts'
import type { Json } from '#lib/json/json-value.ts'
import { phpFloat } from './php-float.ts'
import { isInteger, phpInteger } from './php-number.ts'

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
