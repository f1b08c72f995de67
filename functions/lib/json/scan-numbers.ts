export interface ScannedNumbers {
  /** Start and end of each number whose text a double would change, one after the other. */
  changed: number[]
  /** Whether an object has a key such as `"10"`, which JavaScript would move to the front. */
  hasNumberLikeKey: boolean
  /** Whether an object has a key with an escape (`"a\\n"`). */
  hasEscapedKey: boolean
  /** Lists and objects, and how many of them are in each other at most. */
  containers: number
  depth: number
}

/** Lists and objects in each other: more than any data mean, and less than what reads them by calling itself can. */
export const MOST_DEPTH = 500

/** A number as JSON has it: what is none stays, so that parsing refuses it. */
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** A number of so many characters may have more digits than a double keeps. */
const LONG = 16

/**
 * Finds what `JSON.parse` would change. One loop over the bytes, since every page of an extraction comes through here: it costs a fourth
 * of what regular expressions over the text do.
 */
export const scanNumbers = (document: Uint8Array): ScannedNumbers => {
  const json = Buffer.from(document.buffer, document.byteOffset, document.length)
  const changed: number[] = []
  let hasNumberLikeKey = false
  const hasEscapes = json.includes(BACKSLASH)
  let hasEscapedKey = false
  let containers = 0
  let depth = 0
  let open = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number // within the length
    if (byte === QUOTE) {
      const end = endOfText(json, at + 1)
      hasNumberLikeKey ||= isDigit(json[at + 1] ?? 0) && isNumberLikeKey(json, at + 1, end)
      if (hasEscapes) hasEscapedKey ||= isKey(json, end) && hasEscape(json, at + 1, end)
      at = end
    } else if (byte === MINUS || isDigit(byte)) {
      const end = endOfNumber(json, at + 1)
      if (mayChange(json, at, end) && isChanged(json, at, end)) changed.push(at, end)
      at = end - 1
    } else if ((byte | BRACE) === OPENS) {
      containers++
      if (++open > depth) depth = open
    } else if ((byte | BRACE) === CLOSES) open--
  }
  return { changed, hasNumberLikeKey, hasEscapedKey, containers, depth }
}

const endOfText = (json: Buffer, start: number): number => {
  let at = start
  for (; at < json.length; at++) {
    const byte = json[at]
    if (byte === QUOTE) return at
    if (byte === BACKSLASH) at++
  }
  return at
}

const endOfNumber = (json: Buffer, start: number): number => {
  let at = start
  while (at < json.length && isOfNumber(json[at] as number)) at++ // within the length
  return at
}

const isNumberLikeKey = (json: Buffer, start: number, end: number): boolean => {
  for (let at = start; at < end; at++) if (!isDigit(json[at] as number)) return false // within the length
  return isKey(json, end)
}

const hasEscape = (json: Buffer, start: number, end: number): boolean => {
  for (let at = start; at < end; at++) if (json[at] === BACKSLASH) return true
  return false
}

/** Whether the text that ends there is the key of a field. */
const isKey = (json: Buffer, end: number): boolean => json[afterBlanks(json, end + 1)] === COLON

/**
 * A number of 16 characters or more, with an exponent, with a zero at the end of its fraction or several at its start, or minus zero:
 * the only ones whose text a double may change.
 */
const mayChange = (json: Buffer, start: number, end: number): boolean => {
  if (end - start >= LONG) return true
  const last = json[end - 1]
  let point = -1
  for (let at = start; at < end; at++) {
    const byte = json[at]
    if (byte === POINT) point = at
    else if (byte === SMALL_E || byte === LARGE_E) return true
  }
  if (point === -1) return last === ZERO && json[start] === MINUS && end - start === 2
  return last === ZERO || (json[point + 1] === ZERO && json[point + 4] === ZERO)
}

/** A key without quotes is none: parsing has to refuse it. */
const isChanged = (json: Buffer, start: number, end: number): boolean => {
  const text = json.toString('latin1', start, end)
  return `${Number(text)}` !== text && jsonNumber.test(text) && json[afterBlanks(json, end)] !== COLON
}

const afterBlanks = (json: Buffer, start: number): number => {
  let at = start
  while (json[at] === SPACE || json[at] === TAB || json[at] === LINE_FEED || json[at] === RETURN) at++
  return at
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE

const isOfNumber = (byte: number): boolean =>
  isDigit(byte) || byte === POINT || byte === SMALL_E || byte === LARGE_E || byte === MINUS || byte === PLUS

const TAB = 9
const LINE_FEED = 10
const RETURN = 13
const SPACE = 32
const QUOTE = 34
/** By this bit braces differ from brackets. */
const BRACE = 32
const OPENS = 123
const CLOSES = 125
const PLUS = 43
const MINUS = 45
const POINT = 46
const ZERO = 48
const NINE = 57
const COLON = 58
const LARGE_E = 69
const BACKSLASH = 92
const SMALL_E = 101
