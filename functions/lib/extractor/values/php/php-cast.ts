import { JsonNumber } from '#lib/json/json-number.ts'
import { ByteString, type Value } from './byte-string.ts'
import { phpNumberCell } from './php-number.ts'
import { toText } from './php-values.ts'

/** PHP's `(string)`. Unlike `toText`, doubles have 14 digits (`1.50` is `1.5`) and a list is `Array`. */
export const toPhpText = (value: Value): string => {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || value instanceof JsonNumber) return phpNumberCell(value)
  if (value instanceof ByteString) return value.bytes.toString()
  return Array.isArray(value) ? 'Array' : toText(value)
}

export const toBytes = (value: Value): Buffer =>
  value instanceof ByteString ? value.bytes : Buffer.from(toPhpText(value))

/** PHP's `(int)`, toward zero. A text counts as the number at its start; what is no finite number is 0. */
export const toInteger = (value: Value): number => {
  const number = toFloat(value)
  return Number.isFinite(number) ? Math.trunc(number) : 0
}

/** PHP's `(float)`. A text counts as the number at its start. */
export const toFloat = (value: Value): number => {
  if (typeof value === 'number') return value
  if (value instanceof JsonNumber) return value.valueOf()
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'string')
    return Number(/^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/i.exec(value)?.[0] ?? 0)
  return 0
}
