import { isContainer, isNumber } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import { type Secrecy, secrecyOf } from '#lib/wire/secrecy.ts'
import type { ExtractorConfig } from '../../config/parse-config.ts'
import { parseQuery } from '../../values/php/query.ts'

/**
 * The secrets of a configuration by path: every scalar under a key that begins with `#` (also below it), passwords that
 * older configurations keep in plain attributes, and what the OAuth broker stored, as a whole and field by field.
 */
export const secretsOf = (
  value: unknown,
  path: readonly string[] = [],
  secrecy: Secrecy = 'clear',
): Map<string, string> => {
  const found = new Map<string, string>()
  if (!isContainer(value)) {
    const text = typeof value === 'string' || isNumber(value) ? String(value) : ''
    if (secrecy === 'clear' || text === '') return found
    // Short arguments are separators and the like
    if (secrecy === 'argument' && text.length < 4) return found
    found.set(path.join('/'), text)
    const scheme = /^[A-Za-z]+ +(\S{4,})$/.exec(text) // `Bearer abc`: the token alone is secret too
    if (scheme?.[1] !== undefined) found.set(`${path.join('/')}/credentials`, scheme[1])
    for (const [at, inner] of secretsOf(asJson(text), path, 'secret'))
      if (inner.length > 3) found.set(at, inner)
    return found
  }
  for (const [key, inner] of Object.entries(value)) {
    const isPlainSecret = plainSecrets.has(key) || isCredential(key, inner, path)
    const below = isPlainSecret ? 'secret' : Array.isArray(value) ? secrecy : secrecyOf(key, value, secrecy)
    for (const [at, text] of secretsOf(inner, [...path, key], below)) found.set(at, text)
  }
  return found
}

const plainSecrets = new Set(['password', 'clientCertificate'])

/**
 * A credential that was written out where it is sent: `"headers": { "Authorization": "Bearer ..." }`. What a login adds
 * (`apiRequest`) is named by paths and expressions, and is masked when it is known.
 */
const isCredential = (name: string, value: unknown, path: readonly string[]): boolean =>
  typeof value === 'string' &&
  value.length > 3 &&
  ['headers', 'query', 'params', 'variables'].includes(path.at(-1) ?? '') &&
  !path.includes('apiRequest') &&
  isCredentialName(name)

/** Whether a header or parameter of this name holds a credential, as names go. */
const isCredentialName = (name: string): boolean =>
  /(^|[-_])((proxy-)?authorization|cookie|(api)?token|secret|password|(api|access|auth)[-_]?key)$/i.test(name)

/** An object or list that a text holds as JSON, such as the broker's `#data`. */
const asJson = (text: string): unknown => {
  if (!/^\s*[{[]/.test(text)) return undefined
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

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
  const attributes = secretAttributes(run)
  const names = new Set<string>()
  const collect = (value: unknown, path: readonly string[]): void => {
    if (!isContainer(value)) return
    for (const [key, inner] of Object.entries(value)) {
      const isField = ['headers', 'params', 'query', 'variables'].includes(path.at(-1) ?? '')
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

const secretAttributes = ({ attributes }: ExtractorConfig['runs'][number]): ReadonlySet<string> =>
  new Set([...secretsOf(attributes).keys()].map(path => path.replaceAll('/', '.')))

/** Whether a field of userData is a secret, or is made of one by whatever functions. */
export const secretColumns = (run: ExtractorConfig['runs'][number]) => {
  const attributes = secretAttributes(run)
  return (name: string, value: unknown): boolean =>
    name.startsWith('#') || readsSecret(value, attributes, false)
}

/** Contexts of expressions that hold what the OAuth broker or a login gave. */
const secretContexts = new Set(['authorization', 'user', 'consumer', 'response'])

const readsSecret = (
  value: unknown,
  attributes: ReadonlySet<string>,
  isOfAuthentication: boolean,
): boolean => {
  if (!isContainer(value)) return false
  return Object.entries(value).some(
    ([key, inner]) =>
      (key === 'attr' && typeof inner === 'string' && (attributes.has(inner) || inner.includes('#'))) ||
      (isOfAuthentication && secretContexts.has(key)) ||
      readsSecret(inner, attributes, isOfAuthentication),
  )
}

/** A request as it is sent. */
interface Sent {
  url: { target: string }
  headers: Readonly<Record<string, string | string[]>>
  body?: string | undefined
}

/** The secrets that a request carries, each as a whole and in the parts that an API may show alone. */
export const credentialsOf = (request: Sent, isSecret: IsSecretField): string[] => {
  const query = parseQuery(request.url.target.split(/\?(.*)/s)[1] ?? '')
  const fields: object[] = [request.headers, query, bodyFields(request)]
  return fields
    .flatMap(field => secretTexts(field, isSecret, false))
    .flatMap(withParts)
    .filter(text => text.length >= shortestSecret)
}

/** Bodies are JSON or a form. */
const bodyFields = ({ body }: Sent): object => {
  if (body === undefined) return {}
  try {
    const parsed = parseJson(body)
    return isContainer(parsed) ? parsed : {}
  } catch {
    return parseQuery(body)
  }
}

const secretTexts = (value: unknown, isSecret: IsSecretField, inSecret: boolean): string[] => {
  if (typeof value === 'string' || isNumber(value)) return inSecret ? [String(value)] : []
  if (!isContainer(value)) return []
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
