import { isContainer, isNumber } from '#lib/json/json-value.ts'
import { findSecrets, formsOf, type Range, type SecretForm } from './find-secrets.ts'

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
