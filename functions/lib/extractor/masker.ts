import { rawUrlEncode, urlEncode } from './request/form-encoding.ts'

const replacement = '***'

export interface Masker {
  /** From now on this text is a secret too: a token that a login returned, for instance. */
  add(secret: string): void
  mask(text: string): string
  /** Masks every text in a JSON-like value. */
  maskAll(value: unknown): unknown
  /** Whether a text holds a secret. */
  holdsSecret(text: string): boolean
}

/**
 * Replaces secrets by `***`, also where they are URL-encoded, JSON-escaped or base64 encoded. Longer secrets go first,
 * so that one inside another leaves no rest.
 */
export const createMasker = (secrets: Iterable<string> = []): Masker => {
  const forms = new Set<string>()
  let pattern: RegExp | undefined
  const add = (secret: string): void => {
    if (secret === '') return
    for (const form of spellings(secret)) if (!forms.has(form)) forms.add(form)
    pattern = undefined
  }
  const compiled = (): RegExp | undefined => {
    if (forms.size === 0) return undefined
    pattern ??= new RegExp(
      [...forms]
        .sort((a, b) => b.length - a.length)
        .map(toPattern)
        .join('|'),
      'g',
    )
    return pattern
  }
  const mask = (text: string): string => {
    const found = compiled()
    return found === undefined ? text : text.replaceAll(found, replacement)
  }
  const maskAll = (value: unknown): unknown => {
    if (typeof value === 'string') return mask(value)
    if (typeof value === 'number') return mask(String(value)) === String(value) ? value : replacement
    if (Array.isArray(value)) return value.map(maskAll)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [mask(key), maskAll(inner)]))
  }
  for (const secret of secrets) add(secret)
  return { add, mask, maskAll, holdsSecret: text => mask(text) !== text }
}

/** Very short secrets only as words of their own: else they would black out half of every message. */
const toPattern = (form: string): string =>
  form.length < 4 ? `(?<![A-Za-z0-9])${RegExp.escape(form)}(?![A-Za-z0-9])` : RegExp.escape(form)

/** The forms in which a secret may stand in a text, itself first. */
export const spellings = (secret: string): string[] => {
  const base64 = Buffer.from(secret).toString('base64')
  const all = [secret, urlEncode(secret), rawUrlEncode(secret), encodeURIComponent(secret.toWellFormed())]
  all.push(JSON.stringify(secret).slice(1, -1), JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'))
  // Short texts have short base64 forms that stand in unrelated text by chance
  if (secret.length >= 6) all.push(base64, base64.replace(/=+$/, ''), urlEncode(base64))
  return [...new Set(all)]
}

declare global {
  interface RegExpConstructor {
    /** ECMAScript 2025, in Node 24; missing in the configured library of the compiler. */
    escape(text: string): string
  }
}
