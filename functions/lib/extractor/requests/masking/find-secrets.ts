import { urlEncode } from '../../values/php/form-encoding.ts'

/** A form in which a secret may stand in a text. */
export interface SecretForm {
  /** Its longest run of letters and digits: no escape touches them, so a text without it is not searched. */
  core: string
  /** Made when it is needed: most secrets of requests stand in no message. */
  pattern: () => RegExp
  /** It is never longer in a text, however it is escaped. */
  maxLength: number
}

/** From `start` to `end`, in UTF-16 units; the end is outside. */
export interface Range {
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
export const formsOf = (secret: string): SecretForm[] => {
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
export const findSecrets = (text: string, forms: readonly SecretForm[]): Range[] =>
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
