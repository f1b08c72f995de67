import { isNumber } from '../../json/json-value.ts'
import { objectOf } from '../../json/key-order.ts'
import { type Secrecy, secrecyOf } from '../../wire/secrecy.ts'

/**
 * Replaces every secret in a JSON value: each text, number or boolean under a key that begins with `#`, at any depth
 * below it, including literal arguments of functions. Not replaced: empty texts, `null`, names in expressions (see
 * `secrecyOf`), and booleans among arguments, which are switches.
 *
 * `change` gets numbers and booleans as text, and they stay text.
 */
export const mapSecrets = async (
  value: unknown,
  change: (secret: string) => Promise<string>,
  secrecy: Secrecy = 'clear',
): Promise<unknown> => {
  if (typeof value === 'boolean' && secrecy === 'argument') return value
  if (typeof value === 'string' || isNumber(value) || typeof value === 'boolean')
    return secrecy !== 'clear' && value !== '' ? change(String(value)) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Promise.all(value.map(item => mapSecrets(item, change, secrecy)))

  const entries = Object.entries(value).map(
    async ([key, item]): Promise<[string, unknown]> => [
      key,
      await mapSecrets(item, change, secrecyOf(key, value, secrecy)),
    ],
  )
  return objectOf(await Promise.all(entries))
}

/** The secrets that `mapSecrets` would replace, as texts. */
export const listSecrets = async (value: unknown): Promise<string[]> => {
  const found: string[] = []
  await mapSecrets(value, async secret => {
    found.push(secret)
    return secret
  })
  return found
}
