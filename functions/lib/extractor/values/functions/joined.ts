import { ByteString, type Value } from '../php/byte-string.ts'
import { toBytes, toPhpText } from '../php/php-cast.ts'
import type { TextBudget } from '../php/text-budget.ts'

/** Parts with `glue` between them: text, or bytes as soon as one of them is bytes. */
export const joined = (parts: readonly Value[], glue: Value | undefined = '', budget: TextBudget): Value => {
  const glued = Math.max(0, parts.length - 1) * sizeOf(glue)
  budget.check(parts.reduce<number>((sum, part) => sum + sizeOf(part), glued))
  if (![...parts, glue].some(part => part instanceof ByteString))
    return parts.map(toPhpText).join(toPhpText(glue))
  const pieces = parts.flatMap((part, i) => (i === 0 ? [toBytes(part)] : [toBytes(glue), toBytes(part)]))
  return new ByteString(Buffer.concat(pieces))
}

/** Length in characters, or in bytes of a `ByteString`. Numbers and the like are too short to count. */
export const sizeOf = (value: Value): number => {
  if (typeof value === 'string') return value.length
  return value instanceof ByteString ? value.bytes.length : 0
}
