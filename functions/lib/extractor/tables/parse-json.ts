import { isUtf8 } from 'node:buffer'
import { hideEscapedKeys, restoreKeys } from '../../json/escaped-keys.ts'
import { JsonNumber } from '../php/json-number.ts'
import { decodeBody } from './decode-body.ts'
import type { Json } from './json-value.ts'
import { hasMark, markNumbers, restoreNumbers } from './mark-numbers.ts'
import { restoreKeyOrder } from './restore-key-order.ts'
import { type ScannedNumbers, scanNumbers } from './scan-numbers.ts'

/**
 * Parses JSON and keeps what JavaScript would change: the text of numbers (`12345678901234567890`, `1.50`, `1.0`,
 * `1e5`, `-0` become a `JsonNumber`) and the order of number-like keys.
 *
 * Most documents hold neither; one look over the bytes decides.
 * @param refuse throws for a document that is not to be parsed; by default all are
 * @throws SyntaxError as `JSON.parse` does
 */
export const parseJson = (
  json: string | Uint8Array,
  refuse?: (found: ScannedNumbers, bytes: number) => void,
): Json => {
  const text = typeof json === 'string' ? json : decodeBody(json)
  // Bytes that are no text are dropped, which may join what they part.
  const bytes = typeof json !== 'string' && isUtf8(json) ? json : Buffer.from(text)
  const found = scanNumbers(bytes)
  const { changed, hasNumberLikeKey, hasEscapedKey } = found
  refuse?.(found, bytes.length)
  const value = hasEscapedKey ? parseEscapedKeys(text) : parseNumbers(text, bytes, changed)
  if (hasNumberLikeKey) restoreKeyOrder(value, text)
  return value
}

/** @param changed start and end of each number whose text JSON.parse would change */
const parseNumbers = (text: string, bytes: Uint8Array, changed: readonly number[]): Json =>
  changed.length === 0 ? (JSON.parse(text) as Json) : parseMarked(text, bytes, changed) // what JSON.parse gives

const parseEscapedKeys = (text: string): Json => {
  try {
    const { plain, names } = hideEscapedKeys(text)
    if (plain === text) return JSON.parse(text) as Json // it is no JSON, or the key would have been found
    return restoreKeys(parseJson(plain), names)
  } catch (error) {
    if (error instanceof SyntaxError) JSON.parse(text) // its message is about what was sent
    throw error
  }
}

const parseMarked = (text: string, bytes: Uint8Array, numbers: readonly number[]): Json => {
  if (hasMark(text) || !text.isWellFormed()) return parseWithReviver(text)
  try {
    return restoreNumbers(JSON.parse(decodeBody(markNumbers(bytes, numbers))) as Json) // what JSON.parse gives
  } catch (error) {
    if (error instanceof SyntaxError) JSON.parse(text) // its message is about what was sent
    throw error
  }
}

const parseWithReviver = (json: string): Json =>
  JSON.parse(json, (_key, parsed, context?: { source?: string }) =>
    typeof parsed === 'number' && context?.source !== undefined && `${parsed}` !== context.source
      ? new JsonNumber(context.source)
      : parsed,
  ) as Json // what JSON.parse gives, numbers replaced
