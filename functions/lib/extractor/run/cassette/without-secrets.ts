import { createMasker, type Masker } from '../../requests/masking/masker.ts'
import { secretsOf } from '../../requests/masking/secrets-of.ts'

/** A shorter secret may be a word that other places of a configuration hold too, such as the name of a bucket. */
const SHORTEST_UNLIKE_A_WORD = 8

/**
 * A configuration and its state without the secrets of both: each place that holds one becomes `***`, and so does each long secret
 * wherever it stands. Words elsewhere stay, though they equal a short secret. A configuration runs in this form as the real one does
 * against recorded answers: a text that holds JSON, as the OAuth broker stores it, keeps its form.
 */
export const withoutSecretsOf = <Given extends { config: unknown; state?: unknown }>(given: Given): Given => {
  const secrets = secretsOf(given)
  const long = [...secrets.values()].filter(({ length }) => length >= SHORTEST_UNLIKE_A_WORD)
  const masking = { masker: createMasker(long), places: new Set(secrets.keys()) }
  return maskWith(given, [], masking) as Given // keeps the shape
}

interface Masking {
  masker: Masker
  places: ReadonlySet<string>
}

const maskWith = (value: unknown, path: readonly string[], masking: Masking): unknown => {
  if (typeof value !== 'object' || value === null) return maskScalar(value, path, masking)
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [
    masking.masker.mask(key),
    maskWith(inner, [...path, key], masking),
  ])
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

const maskScalar = (value: unknown, path: readonly string[], masking: Masking): unknown => {
  if (typeof value === 'string' && /^\s*[{[]/.test(value)) {
    try {
      return JSON.stringify(maskWith(JSON.parse(value), path, masking))
    } catch {
      // not JSON after all
    }
  }
  return masking.places.has(path.join('/')) ? '***' : masking.masker.maskAll(value)
}
