import type { ExtractorConfig } from '../config/parse-config.ts'
import { isCredentialName, secretsOf } from '../masking/secrets-of.ts'
import { parseQuery } from '../php/query.ts'
import type { OutgoingRequest } from './outgoing-request.ts'

/** Whether the value of a header or parameter is a secret, or made of one. */
export type IsSecretField = (name: string) => boolean

/**
 * Names of the headers and parameters whose values the configuration makes of secrets: hashes, signatures, texts put
 * together. Read from the configuration and not from values, so that it holds for requests from a checkpoint too.
 */
export const secretFields = (
  api: ExtractorConfig['api'],
  run: ExtractorConfig['runs'][number],
): IsSecretField => {
  const attributes = new Set([...secretsOf(run.attributes).keys()].map(path => path.replaceAll('/', '.')))
  const names = new Set<string>()
  const collect = (value: unknown, path: readonly string[]): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      const isField = ['headers', 'params', 'query'].includes(path.at(-1) ?? '')
      const isOfLogin = path.includes('apiRequest')
      const isOfAuthentication = path.includes('authentication')
      if (isField && (isOfLogin || readsSecret(inner, attributes, isOfAuthentication)))
        names.add(key.toLowerCase())
      collect(inner, [...path, key])
    }
  }
  collect(api, [])
  collect(run.config, [])
  return name => names.has(name.toLowerCase()) || name.startsWith('#') || isCredentialName(name)
}

/** Contexts of expressions that hold what the OAuth broker or a login gave. */
const secretContexts = new Set(['authorization', 'user', 'consumer', 'response'])

const readsSecret = (
  value: unknown,
  attributes: ReadonlySet<string>,
  isOfAuthentication: boolean,
): boolean => {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([key, inner]) =>
      (key === 'attr' && typeof inner === 'string' && (attributes.has(inner) || inner.includes('#'))) ||
      (isOfAuthentication && secretContexts.has(key)) ||
      readsSecret(inner, attributes, isOfAuthentication),
  )
}

/** The secrets that a request carries, each as a whole and in the parts that an API may show alone. */
export const credentialsOf = (request: OutgoingRequest, isSecret: IsSecretField): string[] => {
  const query = parseQuery(request.url.target.split(/\?(.*)/s)[1] ?? '')
  const fields: object[] = [request.headers, query, bodyFields(request)]
  return fields
    .flatMap(field => secretTexts(field, isSecret, false))
    .flatMap(withParts)
    .filter(text => text.length >= shortestSecret)
}

/** Bodies are JSON or a form. */
const bodyFields = ({ body }: OutgoingRequest): object => {
  if (body === undefined) return {}
  try {
    const parsed: unknown = JSON.parse(body)
    return typeof parsed === 'object' && parsed !== null ? parsed : {}
  } catch {
    return parseQuery(body)
  }
}

const secretTexts = (value: unknown, isSecret: IsSecretField, inSecret: boolean): string[] => {
  if (typeof value === 'string' || typeof value === 'number') return inSecret ? [String(value)] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    secretTexts(inner, isSecret, inSecret || isSecret(name.replace(/\[.*/s, ''))),
  )
}

/** Shorter values are switches or numbers, which also occur in unrelated texts. */
const shortestSecret = 4

/** Long enough to be no word of a header such as `Signature` or `HMAC-SHA1`. */
const shortestPart = 16

/** `Bearer abc` holds `abc`; `OAuth oauth_signature="a%2Fb", ...` and `Signature=abc` hold what follows the `=`. */
export const withParts = (text: string): string[] => {
  const scheme = /^[A-Za-z][\w-]* +(\S{4,})$/.exec(text)?.[1]
  const parts = text
    .split(/[\s,;]+/)
    .map(part => /^[\w-]+="?([^="].*?)"?$/.exec(part)?.[1] ?? part)
    .filter(part => part.length >= shortestPart)
  return [...new Set([text, ...(scheme === undefined ? [] : [scheme]), ...parts, ...parts.map(decoded)])]
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
