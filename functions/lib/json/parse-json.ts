import { isUtf8 } from 'node:buffer'
import { hideEscapedKeys, restoreKeys } from './escaped-keys.ts'
import { JsonNumber } from './json-number.ts'
import type { Json, JsonObject } from './json-value.ts'
import { inOrder } from './key-order.ts'
import { type ScannedNumbers, scanNumbers } from './scan-numbers.ts'

/**
 * Parses JSON and keeps what JavaScript would change: the text of numbers (`12345678901234567890`, `1.50`, `1.0`,
 * `1e5`, `-0` become a `JsonNumber`), the order of number-like keys, and keys with escapes. `JSON.stringify` writes all of it back.
 *
 * Most documents hold none of these; one look over the bytes decides.
 * @param refuse throws for a document that is not to be parsed; by default all are
 * @throws SyntaxError as `JSON.parse` does
 */
export const parseJson = (
  json: string | Uint8Array,
  refuse?: (found: ScannedNumbers, bytes: number) => void,
): Json => {
  const text = typeof json === 'string' ? json : decodeBody(json)
  // Bytes that are no text are dropped, which may join what they part.
  const bytes = typeof json !== 'string' && isUtf8(json) && !mayHaveHalfPairs(text) ? json : Buffer.from(text)
  const found = scanNumbers(bytes)
  refuse?.(found, bytes.length)
  try {
    return found.hasEscapedKey ? parseEscapedKeys(text) : parsePlainKeys(text, text, bytes, found)
  } catch (error) {
    if (error instanceof SyntaxError) JSON.parse(text) // its message is about what was sent
    throw error
  }
}

const parseEscapedKeys = (text: string): Json => {
  const { plain, names } = hideEscapedKeys(text)
  const bytes = Buffer.from(plain)
  return parsePlainKeys(text, plain, bytes, scanNumbers(bytes), names)
}

/** @param plain the document without escapes in keys, as `bytes` too; `names` stand for those that need one */
const parsePlainKeys = (
  text: string,
  plain: string,
  bytes: Uint8Array,
  { changed, hasNumberLikeKey }: ScannedNumbers,
  names?: ReadonlyMap<string, string>,
): Json => {
  const parsed = changed.length === 0 ? (JSON.parse(plain) as Json) : parseMarked(plain, bytes, changed) // what JSON.parse gives
  const value = names === undefined ? parsed : restoreKeys(parsed, names)
  return hasNumberLikeKey ? (new Walk(text).value(value) ?? null) : value
}

const parseMarked = (text: string, bytes: Uint8Array, numbers: readonly number[]): Json =>
  hasMark(text) || !text.isWellFormed()
    ? parseWithReviver(text)
    : restoreNumbers(JSON.parse(decoder.decode(markNumbers(bytes, numbers))) as Json) // what JSON.parse gives

const parseWithReviver = (json: string): Json =>
  JSON.parse(json, (_key, parsed, context?: { source?: string }) =>
    typeof parsed === 'number' && context?.source !== undefined && `${parsed}` !== context.source
      ? new JsonNumber(context.source)
      : parsed,
  ) as Json // what JSON.parse gives, numbers replaced

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const replacement = Buffer.from('\ufffd')

/**
 * The text of a response body as Generic Extractor reads it: bytes that are no UTF-8 and escapes of half a surrogate
 * pair (`\ud800`) are dropped.
 */
export const decodeBody = (body: Uint8Array): string => {
  const text = isUtf8(body) ? decoder.decode(body) : decodeValidBytes(body)
  return mayHaveHalfPairs(text) ? dropHalfPairs(text) : text
}

const mayHaveHalfPairs = (text: string): boolean => text.includes('\\ud') || text.includes('\\uD')

const decodeValidBytes = (body: Uint8Array): string => {
  // A replacement character that the API itself sent stays.
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const parts: string[] = []
  let start = 0
  for (let end = bytes.indexOf(replacement); end !== -1; end = bytes.indexOf(replacement, start)) {
    parts.push(decoder.decode(bytes.subarray(start, end)).replaceAll('\ufffd', ''))
    start = end + replacement.length
  }
  parts.push(decoder.decode(bytes.subarray(start)).replaceAll('\ufffd', ''))
  return parts.join('\ufffd')
}

/** Whole pairs and all other escapes come first, so that what is left is half a pair. */
const escapes =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\[^u]|(\\u[dD][89a-fA-F][\da-fA-F]{2})/g

const dropHalfPairs = (text: string): string =>
  text.replace(escapes, (match, half: string | undefined) => (half === undefined ? match : ''))

/** Private use: begins a text that stands for a number. */
const MARK = '\ue000'
const markInDocument = /\ue000|\\u[eE]000/
const before = Buffer.from(`"${MARK}`)
const QUOTE = 34

/**
 * The document with each of the given numbers as a marked text, which `restoreNumbers` takes back after parsing: a walk over the values
 * costs a third of what a reviver of `JSON.parse` does.
 *
 * @param numbers start and end of each, one after the other
 */
const markNumbers = (json: Uint8Array, numbers: readonly number[]): Buffer => {
  const marked = Buffer.allocUnsafe(json.length + (numbers.length / 2) * (before.length + 1))
  let used = 0
  let copied = 0
  for (let i = 0; i < numbers.length; i += 2) {
    const [start = 0, end = 0] = [numbers[i], numbers[i + 1]]
    marked.set(json.subarray(copied, start), used)
    used += start - copied
    marked.set(before, used)
    used += before.length
    marked.set(json.subarray(start, end), used)
    used += end - start
    marked[used++] = QUOTE
    copied = end
  }
  marked.set(json.subarray(copied), used)
  return marked
}

/** Whether the document itself has texts with the mark, so that marking is no way to go. */
const hasMark = (json: string): boolean => markInDocument.test(json)

/** Puts numbers in the place of marked texts, in the value itself. */
const restoreNumbers = (value: Json): Json => {
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

/** Walks the text beside the parsed value, for the order of keys in each object where JavaScript has changed it. */
class Walk {
  readonly #tokens: ReturnType<typeof jsonTokens>

  constructor(json: string) {
    this.#tokens = jsonTokens(json)
  }

  /** The value with its objects in order. */
  value(value: Json | undefined, first = this.#next()): Json | undefined {
    if (first === '{') return this.#object(isContainer(value) && !Array.isArray(value) ? value : undefined)
    if (first === '[') this.#list(Array.isArray(value) ? value : undefined)
    return value
  }

  /** `undefined`: an earlier value of a repeated key, which parsing dropped. */
  #object(object: JsonObject | undefined): JsonObject | undefined {
    const keys: string[] = []
    for (let t = this.#next(); t !== '}'; t = this.#next()) {
      if (t === ',') continue
      const key = JSON.parse(t) as string // a string token
      keys.push(key)
      this.#next() // the colon
      const before = object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined
      const value = this.value(before)
      // Only objects change, so it is a key of its own, `__proto__` too.
      if (object !== undefined && value !== undefined && value !== before) object[key] = value
    }
    return object && inOrder(object, keys)
  }

  #list(list: Json[] | undefined): void {
    let i = 0
    for (let t = this.#next(); t !== ']'; t = this.#next()) {
      if (t === ',') continue
      const value = this.value(list?.[i], t)
      if (list !== undefined && value !== undefined) list[i] = value
      i++
    }
  }

  #next(): string {
    return this.#tokens.next().value?.token ?? ''
  }
}

const isContainer = (value: Json | undefined): value is JsonObject | Json[] =>
  typeof value === 'object' && value !== null

/**
 * The tokens of a JSON document, each with its place: texts with their quotes, punctuation, and words such as `1.50` or `null`.
 *
 * The end of a text is looked for by hand. A regular expression notes for each letter where to go back to, and overflows after some
 * millions: a value may be longer.
 */
export function* jsonTokens(json: string): Generator<{ token: string; index: number }> {
  const next = /["{}[\]:,]|[^\s"{}[\]:,]+/g
  for (let found = next.exec(json); found !== null; found = next.exec(json)) {
    const { index } = found
    if (found[0] === '"') next.lastIndex = endOfText(json, index)
    yield { token: json.slice(index, next.lastIndex), index }
  }
}

const endOfText = (json: string, start: number): number => {
  for (let at = start + 1; at < json.length; at++) {
    const unit = json[at]
    if (unit === '"') return at + 1
    if (unit === '\\') at++
  }
  return json.length
}
