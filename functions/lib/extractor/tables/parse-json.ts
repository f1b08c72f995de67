import { JsonNumber } from '../php/json-number.ts'
import { decodeBody } from './decode-body.ts'
import type { Json } from './json-value.ts'
import { restoreKeyOrder } from './restore-key-order.ts'

/**
 * Parses JSON and keeps what JavaScript would change: the text of numbers (`12345678901234567890`, `1.50`, `1.0`,
 * `1e5`, `-0` become a `JsonNumber`) and the order of number-like keys.
 *
 * Nearly all documents hold neither, so one look over the text decides; only the others are parsed with that care.
 * @throws SyntaxError as `JSON.parse` does
 */
export const parseJson = (text: string | Uint8Array): Json => {
  const json = typeof text === 'string' ? text : decodeBody(text)
  if (!needsCare.test(json)) return JSON.parse(json) as Json // what JSON.parse gives
  return parseCarefully(json)
}

/**
 * At the start, or after `:`, `,` or `[`: a number of 16 characters or more, with an exponent, with a zero at the end of its fraction or
 * several at its start, or minus zero; or a key of digits. May hit inside of a text, which only costs time.
 */
const needsCare =
  /(?:^|[:,[])\s*(?:-?(?:[\d.]{16}|\d+\.(?:\d*0(?!\d)|0000)|[\d.]+[eE])|-0(?![.\d]))|[{,]\s*"\d+"\s*:/

/** Same values as a double holds, but another text: decided per number token. */
const isChanged = (source: string, value: number): boolean => `${value}` !== source

const parseCarefully = (json: string): Json => {
  const value = JSON.parse(json, (_key, parsed, context?: { source?: string }) => {
    if (typeof parsed === 'number' && context?.source !== undefined && isChanged(context.source, parsed)) {
      return new JsonNumber(context.source)
    }
    return parsed
  }) as Json // what JSON.parse gives, numbers replaced
  if (numberLikeKey.test(json)) restoreKeyOrder(value, json)
  return value
}

const numberLikeKey = /[{,]\s*"\d+"\s*:/
