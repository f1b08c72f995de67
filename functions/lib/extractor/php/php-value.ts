import type { TextBudget } from '../functions/text-budget.ts'
import type { Json } from '../tables/json-value.ts'
import { JsonNumber } from './json-number.ts'
import { phpNumberCell } from './php-number.ts'

/** Bytes that are no text: the raw output of `md5(x, true)` and its like, on the way to `base64_encode`. */
export class ByteString {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

/** A value while an expression is evaluated. */
export type Value = Json | ByteString

/** A value as text, the way PHP converts: true is `1`, false and null are empty, doubles have 14 digits. */
export function toText(value: Value): string {
  if (typeof value === 'string') return value
  if (value === null || typeof value === 'boolean') return value === true ? '1' : ''
  if (typeof value === 'number' || value instanceof JsonNumber) return phpNumberCell(value)
  if (value instanceof ByteString) return value.bytes.toString()
  return Array.isArray(value) ? 'Array' : JSON.stringify(value)
}

export function toBytes(value: Value): Buffer {
  return value instanceof ByteString ? value.bytes : Buffer.from(toText(value))
}

/** A value as a whole number, toward zero; texts count as the number at their start, what is beyond all numbers as 0. */
export function toInteger(value: Value): number {
  const number = toFloat(value)
  return Number.isFinite(number) ? Math.trunc(number) : 0
}

export function toFloat(value: Value): number {
  if (typeof value === 'number') return value
  if (value instanceof JsonNumber) return value.valueOf()
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'string')
    return Number(/^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/i.exec(value)?.[0] ?? 0)
  return 0
}

/** Whether PHP's `empty()` holds: null, false, 0, `''`, `'0'`, an empty list. */
export function isEmpty(value: Value): boolean {
  if (value === null || value === false || value === '' || value === '0') return true
  if (typeof value === 'number' || value instanceof JsonNumber) return Number(value) === 0
  if (value instanceof ByteString) return value.bytes.length === 0
  return Array.isArray(value) && value.length === 0
}

/** Characters, or bytes of what is no text. Numbers and the like are as good as nothing. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return value.length
  return value instanceof ByteString ? value.bytes.length : 0
}

export function joined(parts: readonly Value[], glue: Value | undefined = '', budget: TextBudget): Value {
  const glued = Math.max(0, parts.length - 1) * sizeOf(glue)
  budget.check(parts.reduce<number>((sum, part) => sum + sizeOf(part), glued))
  if (![...parts, glue].some(part => part instanceof ByteString)) return parts.map(toText).join(toText(glue))
  const pieces = parts.flatMap((part, i) => (i === 0 ? [toBytes(part)] : [toBytes(glue), toBytes(part)]))
  return new ByteString(Buffer.concat(pieces))
}
