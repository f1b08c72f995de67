import { spellings } from './secret-spellings.ts'

const replacement = '***'

/** More than the requests under way carry. */
const maxPassing = 200

export interface Masker {
  /** From now on this text is a secret too. */
  add(secret: string): void
  /** As `add`, for a secret of a request or a login, which the next ones replace: the latest 200 are kept. */
  addPassing(secrets: Iterable<string>): void
  mask(text: string): string
  /**
   * The first `limit` characters of a text, masked before they are cut: no secret is left in half.
   * `text` may be longer than it need be.
   */
  maskStart(text: string, limit: number): string
  /** How much of a text `maskStart` looks at beyond its limit, in characters. */
  longestSecret(): number
  /** Masks every text in a JSON-like value. */
  maskAll(value: unknown): unknown
  /** Whether a text holds a secret. */
  holdsSecret(text: string): boolean
}

/**
 * Replaces secrets by `***`, also where they are URL-encoded, escaped for JSON or HTML, or base64 encoded. Longer secrets
 * go first, so that one inside another leaves no rest.
 */
export const createMasker = (secrets: Iterable<string> = []): Masker => {
  const lasting = new Map<string, readonly string[]>() // secret -> its spellings
  const passing = new Map<string, readonly string[]>() // the latest last
  const add = (secret: string): void => {
    if (secret !== '' && !lasting.has(secret)) lasting.set(secret, spellings(secret))
  }
  const addPassing = (texts: Iterable<string>): void => {
    for (const text of texts) {
      if (text === '' || lasting.has(text)) continue
      const forms = passing.get(text) ?? spellings(text)
      passing.delete(text)
      passing.set(text, forms)
    }
    for (const oldest of passing.keys()) {
      if (passing.size <= maxPassing) break
      passing.delete(oldest)
    }
  }
  const forms = (): string[] => [...lasting.values(), ...passing.values()].flat()
  const mask = (text: string): string => {
    const pattern = patternOf(forms(), text)
    return pattern === undefined ? text : text.replaceAll(pattern, replacement)
  }
  const longestSecret = (): number => forms().reduce((longest, { length }) => Math.max(longest, length), 0)
  const maskStart = (text: string, limit: number): string => {
    const looked = text.slice(0, limit + longestSecret())
    const pattern = patternOf(forms(), looked)
    if (pattern === undefined) return text.slice(0, limit)
    let shown = ''
    let end = 0
    for (const { index, 0: found } of looked.matchAll(pattern)) {
      if (index >= limit) break
      shown += text.slice(end, index) + replacement
      end = index + found.length
    }
    return shown + text.slice(end, Math.max(end, limit))
  }
  const maskAll = (value: unknown): unknown => {
    if (typeof value === 'string') return mask(value)
    if (typeof value === 'number') return mask(String(value)) === String(value) ? value : replacement
    if (Array.isArray(value)) return value.map(maskAll)
    if (typeof value !== 'object' || value === null) return value
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
    holdsSecret: text => mask(text) !== text,
  }
}

/**
 * Matches the forms that stand in `text`, `undefined` without any. Looking for each is a hundred times cheaper than
 * compiling one pattern of all, which every signed request would make anew.
 */
const patternOf = (forms: readonly string[], text: string): RegExp | undefined => {
  const found = [...new Set(forms.filter(form => text.includes(form)))].sort((a, b) => b.length - a.length)
  return found.length === 0 ? undefined : new RegExp(found.map(toPattern).join('|'), 'g')
}

/** Very short secrets only as words of their own: else they would black out half of every message. */
const toPattern = (form: string): string =>
  form.length < 4 ? `(?<![A-Za-z0-9])${RegExp.escape(form)}(?![A-Za-z0-9])` : RegExp.escape(form)

declare global {
  interface RegExpConstructor {
    /** ECMAScript 2025, in Node 24; missing in the configured library of the compiler. */
    escape(text: string): string
  }
}
