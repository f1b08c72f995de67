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
  readonly longestSecret: number
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
  const lasting = new Set<string>()
  const passing = new Set<string>() // the latest last
  let compiled: Compiled | undefined
  const add = (secret: string): void => {
    if (secret === '' || lasting.has(secret)) return
    lasting.add(secret)
    compiled = undefined
  }
  const addPassing = (texts: Iterable<string>): void => {
    for (const text of texts) {
      if (text === '' || lasting.has(text)) continue
      if (!passing.delete(text)) compiled = undefined
      passing.add(text)
    }
    for (const oldest of passing) {
      if (passing.size <= maxPassing) break
      passing.delete(oldest)
    }
  }
  const current = (): Compiled => {
    compiled ??= compile([...lasting, ...passing])
    return compiled
  }
  const mask = (text: string): string => {
    const { pattern } = current()
    return pattern === undefined ? text : text.replaceAll(pattern, replacement)
  }
  const maskStart = (text: string, limit: number): string => {
    const { pattern, longest } = current()
    if (pattern === undefined) return text.slice(0, limit)
    let shown = ''
    let end = 0
    for (const { index, 0: found } of text.slice(0, limit + longest).matchAll(pattern)) {
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
    get longestSecret() {
      return current().longest
    },
    maskAll,
    holdsSecret: text => mask(text) !== text,
  }
}

interface Compiled {
  pattern: RegExp | undefined
  longest: number
}

const compile = (secrets: readonly string[]): Compiled => {
  const forms = [...new Set(secrets.flatMap(spellings))].sort((a, b) => b.length - a.length)
  const longest = forms[0]?.length ?? 0
  return { longest, pattern: longest === 0 ? undefined : new RegExp(forms.map(toPattern).join('|'), 'g') }
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
