import { JsonNumber } from '../php/json-number.ts'
import type { Json } from './json-value.ts'

/**
 * A number of 16 characters or more, with an exponent, with a zero at the end of its fraction or several at its start, or minus zero:
 * the only ones whose text a double may change. Between what surrounds a value in JSON, so a time of day in a text (`"10:20.500Z"`) is none.
 */
const candidate =
  /(?:^|[:,[])\s*(-?(?:[\d.]{16,}|\d+\.(?:\d*0|0000\d*)|[\d.]+[eE][+-]?\d+)|-0)(?=\s*(?:[,\]}]|$))/g

/** A number as JSON has it: what is none stays, so that parsing refuses it. */
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Private use: begins a text that stands for a number. */
const MARK = '\ue000'
const markInDocument = /\ue000|\\u[eE]000/

/**
 * The document with each number that JavaScript would change as a marked text, which `restoreNumbers` takes back after parsing: a walk over
 * the values costs a third of what a reviver of `JSON.parse` does.
 *
 * @returns `undefined`: the document has no such number
 */
export const markNumbers = (json: string): string | undefined => {
  let marked = ''
  let copied = 0
  const texts = new TextFinder(json)
  for (const found of json.matchAll(candidate)) {
    const number = found[1] ?? ''
    if (`${Number(number)}` === number || !jsonNumber.test(number)) continue
    const start = found.index + found[0].length - number.length
    if (texts.isInside(start)) continue
    marked += `${json.slice(copied, start)}"${MARK}${number}"`
    copied = start + number.length
  }
  return copied === 0 ? undefined : marked + json.slice(copied)
}

/** Whether the document itself has texts with the mark, so that marking is no way to go. */
export const hasMark = (json: string): boolean => markInDocument.test(json)

/** Puts numbers in the place of marked texts, in the value itself. */
export const restoreNumbers = (value: Json): Json => {
  if (typeof value === 'string') return value.startsWith(MARK) ? new JsonNumber(value.slice(1)) : value
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = restoreNumbers(value[i] ?? null)
  } else if (value !== null && typeof value === 'object' && !(value instanceof JsonNumber)) {
    for (const key in value) {
      const field = value[key]
      if (typeof field === 'object' || typeof field === 'string') value[key] = restoreNumbers(field)
    }
  }
  return value
}

/** Says whether a position lies inside a text. Positions have to grow from call to call. */
class TextFinder {
  readonly #json: string
  /** Outside of texts. */
  #from = 0

  constructor(json: string) {
    this.#json = json
  }

  isInside(position: number): boolean {
    for (;;) {
      const start = this.#json.indexOf('"', this.#from)
      if (start === -1 || start >= position) return false
      const end = this.#endOfText(start)
      if (end === -1 || end > position) return true
      this.#from = end + 1
    }
  }

  #endOfText(start: number): number {
    let end = start
    do end = this.#json.indexOf('"', end + 1)
    while (end !== -1 && this.#isEscaped(end))
    return end
  }

  #isEscaped(quote: number): boolean {
    let backslashes = 0
    while (this.#json[quote - 1 - backslashes] === '\\') backslashes++
    return backslashes % 2 === 1
  }
}
