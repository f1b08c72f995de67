import { UserError } from '#lib/errors/errors.ts'
import { JsonNumber } from '#lib/json/json-number.ts'
import { isContainer, isObject, type Json } from '#lib/json/json-value.ts'
import type { LoginAuthentication, OAuth2Authentication } from '../../config/authentication-schema.ts'
import { evaluate } from '../../values/functions/evaluate.ts'
import { isEmpty, toText } from '../../values/php/php-values.ts'
import { valueAt } from '../../values/select/json-path.ts'
import {
  type Authenticator,
  type AuthenticatorOptions,
  type Login,
  sessionAuthentication,
} from '../http/authenticator.ts'
import { checkHeaders } from '../http/outgoing-request.ts'
import type { PageRequest, Params } from '../http/page-request.ts'
import { parseBody } from '../http/parse-response.ts'
import { withParts } from '../masking/secrets-of.ts'
import { createJwtSigner } from './jwt.ts'

interface LoginOptions extends AuthenticatorOptions {
  settings: LoginAuthentication
  /** Contexts besides `attr` for the login request: `consumer` and `user` for `oauth20.login`. */
  loginContext?: AuthenticatorOptions['attributes']
}

/**
 * Logs in with a request that the configuration spells out (docs/reference/extractor-authentication.md#login).
 *
 * ```
 * { "type": "login", "loginRequest": { "endpoint": "token", "method": "POST", "params": { "user": "ann" } },
 *   "apiRequest": { "headers": { "X-Token": { "response": "session.token" } } } }
 * POST /token {"user":"ann"}    200 { "session": { "token": "t1" } }
 * GET /orders                   X-Token: t1
 * ```
 */
export const loginAuthentication = (options: LoginOptions): Authenticator => {
  const { settings, now } = options

  const login = async (): Promise<Login> => {
    const body = await options.send(loginRequest(options))
    const response = toLoginResponse(body, settings.format ?? 'json')
    // Before it is used, so that no error shows it
    options.masker.addPassing(credentialsIn(response))
    const headers = apiValues(options, 'headers', response)
    const query = apiValues(options, 'query', response)
    const values = [...Object.values(headers), ...Object.values(query)].map(toText)
    const used = values.flatMap(withParts)
    options.masker.addPassing([...used, ...credentialsIn(response, values)])
    const credentials = [...used, ...credentialsIn(withoutRefreshTokens(response), values)]
    return { headers: checkHeaders(headers), query, expires: expiry(response), credentials }
  }

  const expiry = (response: Json): number | undefined => {
    const { expires } = settings
    if (expires === undefined) return undefined
    return typeof expires === 'number'
      ? now() + expires
      : loginExpiry(valueAt(expires.response, response), expires.relative === true, now())
  }

  const everyRequest = typeof settings.expires === 'number' && settings.expires <= 0
  return sessionAuthentication({ ...options, login, everyRequest })
}

const loginRequest = ({ settings, attributes, loginContext, evaluate }: LoginOptions): PageRequest => {
  const { endpoint, method, params, headers } = settings.loginRequest
  const context = { ...loginContext, attr: attributes }
  const path = 'api.authentication.loginRequest'
  const values = evaluate({ ...params }, context, `${path}.params`)
  return {
    endpoint,
    method: method ?? 'GET',
    params: (Array.isArray(params) ? Object.values(values) : values) as Params, // evaluated values are JSON
    headers: evaluate(headers ?? {}, context, `${path}.headers`),
  }
}

/**
 * `apiRequest.headers` or `.query`: after evaluation each value is tried as a path in the login response and kept as it
 * is when nothing is there (docs/reference/extractor-authentication.md#login). So a plain text is a path with itself as fallback.
 */
const apiValues = (
  { settings, attributes, evaluate }: LoginOptions,
  kind: 'headers' | 'query',
  response: Json,
): Record<string, Json> => {
  const context = { response, attr: attributes }
  const values = evaluate(settings.apiRequest?.[kind] ?? {}, context, `api.authentication.apiRequest.${kind}`)
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const path = toText(value)
      const found = isEmpty(value) || typeof value === 'object' ? undefined : valueAt(path, response)
      return [name, found === undefined || isContainer(found) ? value : found]
    }),
  )
}

/**
 * What `response` references read. `text` keeps the body as `{ data: <text> }`; `json` takes an object as it is and a
 * scalar as `{ data: <scalar> }` (docs/reference/extractor-authentication.md#login). A list or null carries no credentials.
 */
const toLoginResponse = (body: Buffer, format: 'json' | 'text'): Json => {
  if (format === 'text') return { data: body.toString('utf8') }
  const response = parseBody(body)
  if (isObject(response)) return response
  if (response !== null && !Array.isArray(response)) return { data: response }
  throw new UserError(
    'extractor.authentication.login',
    `Invalid response of the login request: an object or a scalar is expected, got ${response === null ? 'null' : 'a list'}.`,
  )
}

const credentialKey =
  /(token|secret|pass|session|sid|jwt|cookie|assertion|signature|key|code|ticket|credential)/i

/** What a later leg may have to hide of a login response: refresh tokens are kept elsewhere, at once. */
const withoutRefreshTokens = (response: Json): Json => {
  if (Array.isArray(response)) return response.map(withoutRefreshTokens)
  if (!isObject(response)) return response
  const kept = Object.entries(response).filter(([key]) => !/refresh/i.test(key))
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutRefreshTokens(value)]))
}

/**
 * The texts of a login response that are credentials: by their names, by their looks (long and without blanks), or because
 * they are in `used`, the values that requests get.
 */
const credentialsIn = (response: Json, used: readonly string[] = [], name = ''): string[] => {
  if (Array.isArray(response)) return response.flatMap(item => credentialsIn(item, used, name))
  if (isObject(response))
    return Object.entries(response).flatMap(([key, value]) => credentialsIn(value, used, key))
  const text = toText(response)
  const isCredential =
    credentialKey.test(name) || /^\S{16,}$/.test(text) || used.some(value => value.includes(text))
  return text.length >= 4 && isCredential ? [text] : []
}

/**
 * When credentials expire, in seconds since 1970, from the value that the login response gave
 * (docs/reference/extractor-authentication.md#login): a date-time text, a timestamp, or with `relative` a number of seconds from
 * now. `undefined` (no value) is never.
 *
 * Digits in a text count as the number they show: Generic Extractor reads `"3600"` as the year 3600, which no API
 * means.
 *
 * @throws UserError `extractor.authentication.expired` when the credentials expired before they came
 */
const loginExpiry = (value: Json | undefined, relative: boolean, now: number): number | undefined => {
  if (value === undefined || value === null) return undefined
  const text = toText(value)
  const isNumber = typeof value === 'number' || value instanceof JsonNumber || /^\d+(\.\d+)?$/.test(text)
  const expires =
    isNumber && (relative || !isDateOfDigits(text))
      ? Number(text) + (relative ? now : 0)
      : parseDate(text, now)
  if (expires < Math.floor(now)) {
    throw new UserError(
      'extractor.authentication.expired',
      `Login authentication returned expiry time before current time: '${text}'`,
    )
  }
  return expires
}

/** `20260131` and `20260131120000` are dates; timestamps have nine to eleven digits. */
const isDateOfDigits = (text: string): boolean => /^\d{8}$|^\d{14}$/.test(text)

const parseDate = (text: string, now: number): number => {
  const parsed = evaluate({ function: 'strtotime', args: [text] }, {}, { now: Math.floor(now) })
  if (typeof parsed === 'number') return parsed
  throw new UserError(
    'extractor.authentication.expired',
    `Login authentication returned an unreadable expiry time: '${text}'`,
  )
}

/** A token is renewed so many seconds before it expires, so that no request is under way with a dead one. */
const renewalMarginSeconds = 30

/** An assertion is used at once; servers refuse those that live long (RFC 7523, 3). */
const assertionSeconds = 300

/**
 * OAuth 2 without a browser: client credentials (RFC 6749, 4.4), a refresh token (6) or a signed assertion (RFC 7523)
 * buys an access token, which goes out as `Authorization: Bearer` (docs/reference/extractor-authentication.md#oauth2).
 *
 * ```
 * POST /oauth/token    grant_type=client_credentials    Authorization: Basic ...
 * 200 { "access_token": "at1", "expires_in": 3600 }
 * GET /orders          Authorization: Bearer at1
 * ```
 */
export const oauth2Authentication = (
  options: AuthenticatorOptions & { settings: OAuth2Authentication },
): Authenticator => {
  const { settings, evaluate, attributes, masker, now, refreshTokens } = options
  const path = 'api.authentication'
  const read = (values: Record<string, unknown>, at = path): Record<string, Json> =>
    evaluate(values, { attr: attributes }, at)
  const { clientId, clientSecret, refreshToken: configured, tokenUrl } = settings
  const client = read({ clientId, clientSecret, refreshToken: configured, tokenUrl })
  const configuredToken = toText(client['refreshToken'])
  const signAssertion =
    settings.assertion === undefined
      ? undefined
      : createJwtSigner({ ...options, settings: { lifetime: assertionSeconds, ...settings.assertion } })

  const grantParams = async (): Promise<Record<string, Json>> => {
    if (settings.grant === 'refresh_token')
      return { grant_type: 'refresh_token', refresh_token: refreshTokens.current(configuredToken) }
    if (signAssertion === undefined) return { grant_type: 'client_credentials' }
    const { text } = await signAssertion()
    return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: text }
  }

  const tokenRequest = async (): Promise<PageRequest> => {
    const id = toText(client['clientId'])
    const secret = toText(client['clientSecret'])
    const inHeader = settings.clientIn !== 'body' && secret !== ''
    const basic = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')
    masker.addPassing([basic])
    return {
      endpoint: toText(client['tokenUrl']),
      method: 'FORM',
      params: {
        ...(await grantParams()),
        ...(settings.scope === undefined ? {} : { scope: settings.scope }),
        ...(inHeader || id === '' ? {} : { client_id: id }),
        ...(inHeader || secret === '' ? {} : { client_secret: secret }),
        ...read({ ...settings.params }, `${path}.params`),
      },
      headers: {
        Accept: 'application/json',
        ...(inHeader ? { Authorization: `Basic ${basic}` } : {}),
      },
    }
  }

  const login = async (): Promise<Login> => {
    const response = toLoginResponse(await options.send(await tokenRequest()), 'json')
    // Before anything is used, so that no error shows it
    masker.addPassing(credentialsIn(response))
    const token = valueAt('access_token', response)
    if (isEmpty(token))
      throw new UserError(
        'extractor.authentication.oauth',
        `The token response has no "access_token"${refusalIn(response)}.`,
      )
    const next = toText(valueAt('refresh_token', response))
    // Before the access token is used: the server may have ended the old refresh token already
    if (settings.grant === 'refresh_token' && next !== '') await refreshTokens.replace(configuredToken, next)
    const text = toText(token)
    masker.addPassing([text])
    const lifetime = loginExpiry(valueAt('expires_in', response), true, now())
    return {
      headers: { Authorization: `Bearer ${text}` },
      query: {},
      credentials: [text, ...credentialsIn(withoutRefreshTokens(response))],
      expires: lifetime === undefined ? undefined : lifetime - renewalMargin(lifetime - now()),
    }
  }

  // Servers end tokens before they expire
  return sessionAuthentication({ ...options, login, renewsOn401: true })
}

const renewalMargin = (lifetime: number): number => Math.min(renewalMarginSeconds, lifetime / 10)

/** RFC 6749, 5.2: some servers say it under status 200. */
const refusalIn = (response: Json): string => {
  const said = ['error', 'error_description'].flatMap(name => {
    const text = valueAt(name, response)
    return typeof text === 'string' ? [text.slice(0, 200)] : []
  })
  return said.length === 0 ? '' : `: ${said.join(', ')}`
}
