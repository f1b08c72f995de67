import { hexDigest } from '../../lib/digests.ts'
import { isSealed } from '../../lib/storage/secrets/sealed-secret.ts'
import { Refusal } from './api-client.ts'

const PLACEHOLDER = /^\(sealed [0-9a-f]{12}\)$/

/** A configuration for people: in place of each sealed secret a short name of it. */
export const hideSealed = (value: unknown): unknown =>
  mapTexts(value, text => (isSealed(text) ? placeholderOf(text) : text))

/**
 * The configuration that somebody edited, with the sealed secrets that the stored one has.
 *
 * @throws Refusal for a name of a secret that is not there
 */
export const showSealed = (edited: unknown, stored: unknown): unknown => {
  const sealed = new Map<string, string>()
  mapTexts(stored, text => {
    if (isSealed(text)) sealed.set(placeholderOf(text), text)
    return text
  })
  return mapTexts(edited, text => {
    const found = sealed.get(text)
    if (found === undefined && PLACEHOLDER.test(text))
      throw new Refusal(400, `There is no secret ${text} in the current version: enter its value anew.`)
    return found ?? text
  })
}

const placeholderOf = (secret: string): string => `(sealed ${hexDigest(secret, 12)})`

const mapTexts = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map(item => mapTexts(item, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]))
}
