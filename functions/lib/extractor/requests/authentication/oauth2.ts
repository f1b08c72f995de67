import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import type { OAuth2Authentication } from '../../config/authentication-schema.ts'
import { isEmpty, toText } from '../../values/php/php-values.ts'
import { valueAt } from '../../values/select/json-path.ts'
import type { Authenticator, AuthenticatorOptions, Login } from '../http/authenticator.ts'
import type { PageRequest } from '../http/page-request.ts'
import { createJwtSigner } from './jwt.ts'
import { credentialsIn, loginExpiry, toLoginResponse, withoutRefreshTokens } from './login-response.ts'
import { sessionAuthentication } from './sessions.ts'

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
