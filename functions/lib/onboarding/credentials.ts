import { isObject, type Json, type JsonObject, mapFields } from '#lib/json/json-value.ts'
import { headerOf, type KnownRequest, splitUser } from './read-curl.ts'

export interface Credentials {
  authentication?: Record<string, Json>
  /** Attributes of `config` that it reads, secrets under names with `#`. */
  attributes: Record<string, string>
  /** What is left of the request: a secret in it is an expression that reads an attribute. */
  headers: Record<string, Json>
  query: Record<string, Json>
  body?: KnownRequest['body']
  /** Names of headers that browsers add and APIs do not need. */
  dropped: string[]
  /** How it logs in, in a sentence. */
  why: string
}

const secretName =
  /(^|[-_.\]])(authorization|auth|secret|password|passwd|pwd|signature|sig|session|jwt|bearer)$|(api|access|auth|app|secret|private|subscription|csrf|xsrf|session|refresh|client)[-_]?(key|token|secret|id_token)$|(^|[-_])(token|apikey|key|apitoken)$/i

/** Whether a header or a parameter of this name carries a credential. Names of paging tokens do not. */
const isSecretName = (name: string): boolean =>
  secretName.test(name) && !/page|next|cursor|continuation|sync|sort|order|idempotency/i.test(name)

/** Digits and letters in one long word: what a random key looks like, and no name or media type does. */
const looksRandom = (value: string): boolean =>
  /^[A-Za-z0-9_\-.~+/=]{24,}$/.test(value) &&
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  !/^[\w.-]+\/[\w.+-]+$/.test(value)

const ofBrowsers =
  /^(sec-|dnt$|pragma$|cache-control$|upgrade-insecure-requests$|priority$|te$|accept-encoding$|accept-language$|origin$|referer$|connection$|content-length$|host$|if-none-match$|if-modified-since$)/i

export const findCredentials = (request: KnownRequest): Credentials => {
  const attributes: Record<string, string> = {}
  const hide = (wanted: string, value: string): { attr: string } => {
    const base = `#${
      wanted
        .replace(/^x-/i, '')
        .replace(/[^A-Za-z0-9]+/g, '_')
        .replace(/^_+|_+$/g, '') || 'secret'
    }`
    const [known] = Object.entries(attributes).find(([, text]) => text === value) ?? []
    let name = known ?? base
    for (let number = 2; known === undefined && Object.hasOwn(attributes, name); number++)
      name = `${base}${number}`
    attributes[name] = value
    return { attr: name }
  }

  let authentication: Credentials['authentication']
  let why = 'The request carries no credentials that are known as such.'
  const user = request.user ?? basicUser(headerOf(request.headers, 'authorization'))
  if (user !== undefined) {
    authentication = { type: 'basic' }
    attributes['username'] = user.name
    attributes['#password'] = user.password
    why = 'The request has a user and a password: Basic authentication.'
  }
  /** The first credential becomes the authentication; others stay where they are sent. */
  const take = (place: 'header' | 'query' | 'cookie', name: string, value: string, prefix = ''): boolean => {
    if (authentication !== undefined) return false
    const attribute = prefix !== '' || place === 'cookie' ? 'token' : name
    authentication = {
      type: 'apiKey',
      in: place,
      name,
      ...(prefix === '' ? {} : { prefix }),
      value: hide(attribute, value),
    }
    why =
      place === 'query'
        ? `The parameter ${name} is a key by its name.`
        : `The ${place} ${name} ${prefix === '' ? 'is a key by its name or its look' : `has a token behind "${prefix.trim()}"`}.`
    return true
  }

  const dropped: string[] = []
  const headers: Record<string, Json> = {}
  for (const [name, value] of Object.entries(request.headers)) {
    if (/^authorization$/i.test(name)) {
      const [, scheme = '', token = value] = /^([A-Za-z][\w-]*) +(\S+)$/.exec(value) ?? []
      if (/^basic$/i.test(scheme) && basicUser(value) !== undefined) continue
      if (!take('header', name, token, scheme === '' ? '' : `${scheme} `)) headers[name] = hide(name, value)
    } else if (/^cookie$/i.test(name)) {
      const [, cookie, text] = /^([^=;\s]+)=([^;]*)$/.exec(value.trim()) ?? []
      if (cookie === undefined || text === undefined || !take('cookie', cookie, text))
        headers[name] = hide(name, value)
    } else if (ofBrowsers.test(name)) dropped.push(name)
    else if (/^content-type$/i.test(name) && request.body !== undefined) continue
    else if (isSecretName(name) || looksRandom(value)) {
      if (!take('header', name, value)) headers[name] = hide(name, value)
    } else headers[name] = value
  }
  const query: Record<string, Json> = {}
  for (const [name, value] of Object.entries(request.query)) {
    if (!isSecretName(name)) query[name] = value
    else if (!take('query', name, value)) query[name] = hide(name, value)
  }
  const hideIn = (value: Json, name = ''): Json => {
    if (typeof value === 'string') return isSecretName(name) ? hide(name, value) : value
    if (Array.isArray(value)) return value.map(item => hideIn(item))
    return isObject(value) ? mapFields(value, (inner, key) => hideIn(inner as Json, key)) : value // parsed JSON
  }
  const { body } = request
  return {
    ...(authentication && { authentication }),
    attributes,
    headers,
    query,
    ...(body && { body: { ...body, value: hideIn(body.value) as JsonObject | Json[] } }), // the same shape, expressions in place of texts
    dropped,
    why,
  }
}

const basicUser = (authorization: string | undefined): KnownRequest['user'] => {
  const [, encoded] = /^basic +([A-Za-z0-9+/=_-]+)$/i.exec(authorization ?? '') ?? []
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8')
  return text.includes(':') ? splitUser(text) : undefined
}
