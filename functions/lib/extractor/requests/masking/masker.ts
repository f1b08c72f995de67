import { UserError } from '#lib/errors/errors.ts'
import { isContainer, isNumber } from '#lib/json/json-value.ts'
import { urlEncode } from '../../values/php/query.ts'

const replacement = '***'

/** More than the requests under way carry. */
const maxPassing = 200

export type Masker = ReturnType<typeof createMasker>

/**
 * Replaces secrets by `***`, in each form that `formsOf` knows. Of one inside another nothing is left.
 */
export const createMasker = (secrets: Iterable<string> = []) => {
  const lasting = new Map<string, readonly SecretForm[]>()
  const passing = new Map<string, readonly SecretForm[]>() // the latest last
  /** From now on this text is a secret too. */
  const add = (secret: string): void => {
    if (secret !== '' && !lasting.has(secret)) lasting.set(secret, formsOf(secret))
  }
  /** As `add`, for a secret of a request or a login, which the next ones replace: the latest 200 are kept. */
  const addPassing = (texts: Iterable<string>): void => {
    for (const text of texts) {
      if (text === '' || lasting.has(text)) continue
      const forms = passing.get(text) ?? formsOf(text)
      passing.delete(text)
      passing.set(text, forms)
    }
    for (const oldest of passing.keys()) {
      if (passing.size <= maxPassing) break
      passing.delete(oldest)
    }
  }
  const forms = (): SecretForm[] => [...lasting.values(), ...passing.values()].flat()
  const mask = (text: string): string => withoutRanges(text, findSecrets(text, forms()), text.length)
  /** How much of a text `maskStart` looks at beyond its limit, in characters. */
  const longestSecret = (): number =>
    forms().reduce((longest, { maxLength }) => Math.max(longest, maxLength), 0)
  /** The first `limit` characters of a text, masked before they are cut: no secret is left in half. */
  const maskStart = (text: string, limit: number): string =>
    withoutRanges(text, findSecrets(text.slice(0, limit + longestSecret()), forms()), limit)
  /** Masks every text in a JSON-like value. */
  const maskAll = (value: unknown): unknown => {
    if (typeof value === 'string') return mask(value)
    if (isNumber(value)) return mask(String(value)) === String(value) ? value : replacement
    if (Array.isArray(value)) return value.map(maskAll)
    if (!isContainer(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [mask(key), maskAll(inner)]))
  }
  for (const secret of secrets) add(secret)
  return {
    add,
    addPassing,
    mask,
    maskStart,
    longestSecret,
    maskAll,
    holdsSecret: (text: string): boolean => findSecrets(text, forms()).length > 0,
  }
}

/** The first `limit` characters of a text, where each range is replaced that begins in them. */
const withoutRanges = (text: string, ranges: readonly Range[], limit: number): string => {
  let shown = ''
  let from = 0
  for (const { start, end } of ranges) {
    if (start >= limit) break
    shown += text.slice(from, start) + replacement
    from = end
  }
  return shown + text.slice(from, Math.max(from, limit))
}

/** A form in which a secret may stand in a text. */
interface SecretForm {
  /** Its longest run of letters and digits: no escape touches them, so a text without it is not searched. */
  core: string
  /** Made when it is needed: most secrets of requests stand in no message. */
  pattern: () => RegExp
  /** It is never longer in a text, however it is escaped. */
  maxLength: number
}

/** From `start` to `end`, in UTF-16 units; the end is outside. */
interface Range {
  start: number
  end: number
}

/** Shorter ones have Base64 that stands in unrelated text by chance. */
const shortestCoded = 6

/** By how much escapes may lengthen a character: `"` to `%255C%255C%255C%2522`. */
const MAX_ESCAPED_LENGTH = 32

/**
 * A secret as it is, and in Base64 at each of the three places that a byte has there: behind a user's name, say. What is coded may
 * have been escaped before, and all of it may be escaped for an address, for JSON, or as JSON in either.
 */
const formsOf = (secret: string): SecretForm[] => {
  // Very short secrets only as words of their own: else they would black out half of every message
  const [before, after] = secret.length < 4 ? ['(?<![A-Za-z0-9])', '(?![A-Za-z0-9])'] : ['', '']
  const plain = formOf(secret, () => before + escapedPattern(secret) + after)
  if (secret.length < shortestCoded) return [plain]
  const coded = new Set([secret, JSON.stringify(secret).slice(1, -1), urlEncode(secret)])
  return [plain, ...[...coded].flatMap(text => [0, 1, 2].map(place => base64Form(Buffer.from(text), place)))]
}

const formOf = (text: string, source: () => string): SecretForm => {
  let pattern: RegExp | undefined
  return {
    core: longestRun(text),
    pattern: () => {
      pattern ??= new RegExp(source(), 'g')
      return pattern
    },
    maxLength: text.length * MAX_ESCAPED_LENGTH,
  }
}

/** @param before bytes that stand before these in a group of three */
const base64Form = (bytes: Buffer, before: number): SecretForm => {
  const coded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
  const bits = (before + bytes.length) * 8
  const certain = coded.slice(before === 0 ? 0 : before + 1, Math.floor(bits / 6))
  // The letters around it hold the rest of its first and its last byte
  const edgeBefore = before === 0 ? '' : '[\\w+/-]?'
  const edgeAfter = bits % 6 === 0 ? '' : '[\\w+/-]?={0,2}'
  return formOf(certain, () => edgeBefore + escapedPattern(certain, { '+': '-', '/': '_' }) + edgeAfter)
}

const longestRun = (text: string): string =>
  (text.match(/[A-Za-z0-9]+/g) ?? []).reduce(
    (longest, run) => (run.length > longest.length ? run : longest),
    '',
  )

/** JSON puts one before a character, and JSON within JSON three. */
const backslashes = (least: number, most: number): string =>
  most === 0 ? '' : `(?:\\\\|%(?:25)?5[Cc]){${least},${most}}`

const shortEscapes: Readonly<Record<string, string>> = {
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
}

/**
 * Each character as it is or escaped. Backslashes belong to the character behind them, so that there is one way only to read a run of
 * them: a pattern with many would try them all.
 *
 * @param also what else may stand for a character
 */
const escapedPattern = (text: string, also: Readonly<Record<string, string>> = {}): string =>
  (text.match(/\\*[^\\]|\\+$/gu) ?? [])
    .map(part => {
      const own = part.lastIndexOf('\\') + 1
      const character = part.slice(own)
      if (/^[A-Za-z0-9]?$/.test(character)) return backslashes(own, own * 4) + character
      const wellFormed = character.toWellFormed()
      const plain = [character, wellFormed, also[character] ?? character, character === ' ' ? '+' : character]
      const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
      const inJson = [
        units.map(unit => `u${inEitherCase(unit.toString(16).padStart(4, '0'))}`).join(backslashes(1, 2)),
        ...(shortEscapes[character] ?? []),
      ]
      return `(?:${backslashes(own, own * 4 + 3)}(?:${[...new Set(plain)].map(RegExp.escape).join('|')}|${percentPattern(wellFormed)})|${backslashes(own + 1, own * 4 + 3)}(?:${inJson.join('|')}))`
    })
    .join('')

/** Also escaped twice, as an address within an address is. */
const percentPattern = (character: string): string =>
  [...Buffer.from(character)]
    .map(byte => `%(?:25)?${inEitherCase(byte.toString(16).padStart(2, '0'))}`)
    .join('')

const inEitherCase = (hex: string): string =>
  hex.replace(/[a-f]/g, digit => `[${digit}${digit.toUpperCase()}]`)

/** Where secrets stand in a text, in order and without overlaps. */
const findSecrets = (text: string, forms: readonly SecretForm[]): Range[] =>
  withoutOverlaps(
    forms
      .filter(({ core }) => text.includes(core))
      .flatMap(({ pattern }) => [...text.matchAll(pattern())])
      .map(({ 0: found, index }) => ({ start: index, end: index + found.length })),
  )

const withoutOverlaps = (ranges: Range[]): Range[] => {
  const merged: Range[] = []
  for (const range of ranges.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1)
    if (last !== undefined && range.start < last.end) last.end = Math.max(last.end, range.end)
    else merged.push({ ...range })
  }
  return merged
}

declare global {
  interface RegExpConstructor {
    /** ECMAScript 2025, in Node 24; missing in the configured library of the compiler. */
    escape(text: string): string
  }
}

/** The same error without secrets: message, params and stack are masked, causes (which may hold anything) are dropped. */
export const maskError = (error: unknown, masker: Masker): unknown => {
  if (error instanceof UserError) {
    const { code, status, message, params } = error
    return new UserError(code, masker.mask(message), {
      status,
      params: masker.maskAll(params) as Record<string, unknown>, // keeps the shape
    })
  }
  if (!(error instanceof Error)) return error
  const masked = new Error(masker.mask(error.message))
  masked.name = error.name
  if (error.stack !== undefined) masked.stack = masker.mask(error.stack)
  return masked
}

type LogLevel = 'debug' | 'info' | 'warning' | 'error'

/** One line of the log. `context` is plain JSON. */
export interface LogRecord {
  level: LogLevel
  message: string
  context?: Record<string, unknown>
}

export interface Log {
  debug(message: string, context?: Record<string, unknown>): void
  info(message: string, context?: Record<string, unknown>): void
  warning(message: string, context?: Record<string, unknown>): void
}

/** A log whose messages and context pass the masker first, so that no call site can forget it. */
export const createLog = (write: (record: LogRecord) => void, masker: Masker, debug: boolean): Log => {
  const at = (level: LogLevel) => (message: string, context?: Record<string, unknown>) => {
    write({
      level,
      message: masker.mask(message),
      ...(context === undefined ? {} : { context: masker.maskAll(context) as Record<string, unknown> }), // maskAll keeps the shape
    })
  }
  return { debug: debug ? at('debug') : () => {}, info: at('info'), warning: at('warning') }
}
