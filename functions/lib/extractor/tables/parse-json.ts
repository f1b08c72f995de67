import { JsonNumber } from '../php/json-number.ts'
import { decodeBody } from './decode-body.ts'
import type { Json } from './json-value.ts'
import { hasMark, markNumbers, restoreNumbers } from './mark-numbers.ts'
import { restoreKeyOrder } from './restore-key-order.ts'

/**
 * Parses JSON and keeps what JavaScript would change: the text of numbers (`12345678901234567890`, `1.50`, `1.0`,
 * `1e5`, `-0` become a `JsonNumber`) and the order of number-like keys.
 *
 * Most documents hold neither; one look over the text decides.
 * @throws SyntaxError as `JSON.parse` does
 */
export const parseJson = (text: string | Uint8Array): Json => {
  const json = typeof text === 'string' ? text : decodeBody(text)
  const value = parseNumbers(json)
  if (numberLikeKey.test(json)) restoreKeyOrder(value, json)
  return value
}

const numberLikeKey = /[{,]\s*"\d+"\s*:/

const parseNumbers = (json: string): Json => {
  const marked = markNumbers(json)
  if (marked === undefined) return JSON.parse(json) as Json // what JSON.parse gives
  if (hasMark(json)) return parseWithReviver(json)
  try {
    return restoreNumbers(JSON.parse(marked) as Json) // what JSON.parse gives
  } catch (error) {
    if (error instanceof SyntaxError) JSON.parse(json) // its message is about what was sent
    throw error
  }
}

const parseWithReviver = (json: string): Json =>
  JSON.parse(json, (_key, parsed, context?: { source?: string }) =>
    typeof parsed === 'number' && context?.source !== undefined && `${parsed}` !== context.source
      ? new JsonNumber(context.source)
      : parsed,
  ) as Json // what JSON.parse gives, numbers replaced
