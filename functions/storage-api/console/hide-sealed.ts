import { hexDigest } from '../../lib/digests.ts'
import { isContainer, isObject, mapFields } from '../../lib/json/json-value.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
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
  const sealed = new Map(hiddenSecrets(stored).map(secret => [placeholderOf(secret), secret]))
  return mapTexts(edited, text => {
    const found = sealed.get(text)
    if (found === undefined && PLACEHOLDER.test(text))
      throw new Refusal(400, `There is no secret ${text} in the current version: enter its value anew.`)
    return found ?? text
  })
}

/** The sealed secrets of a value: `showSealed` finds them again. */
export const hiddenSecrets = (value: unknown): string[] => {
  const sealed = new Set<string>()
  mapTexts(value, text => {
    if (isSealed(text)) sealed.add(text)
    return text
  })
  return [...sealed]
}

/** @throws Refusal when the text is no JSON object */
export const parseObject = (text: string): object => {
  let value: unknown
  try {
    value = parseJson(text)
  } catch (error) {
    throw new Refusal(400, `This is not valid JSON: ${error instanceof Error ? error.message : ''}`)
  }
  if (!isObject(value)) throw new Refusal(400, 'A configuration is a JSON object.')
  return value
}

const placeholderOf = (secret: string): string => `(sealed ${hexDigest(secret, 12)})`

const mapTexts = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map(item => mapTexts(item, change))
  return isContainer(value) ? mapFields(value, item => mapTexts(item, change)) : value
}
