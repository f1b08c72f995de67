import { type Secrecy, secrecyOf } from '../../storage/secrets/secrecy.ts'

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
  if (typeof value !== 'object' || value === null) {
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
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
  ['headers', 'query', 'params'].includes(path.at(-1) ?? '') &&
  !path.includes('apiRequest') &&
  isCredentialName(name)

/** Whether a header or parameter of this name holds a credential, as names go. */
export const isCredentialName = (name: string): boolean =>
  /(^|[-_])((proxy-)?authorization|cookie|(api)?token|secret|password|(api|access|auth)[-_]?key)$/i.test(name)

/** An object or list that a text holds as JSON, such as the broker's `#data`. */
const asJson = (text: string): unknown => {
  if (!/^\s*[{[]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
