import { UserError } from '../../errors/errors.ts'
import type { ConfigFile } from '../config/config-schema.ts'
import type { EvaluateValues } from '../functions/evaluate-values.ts'
import { setHeader } from '../http/outgoing-request.ts'
import type { PageRequest } from '../http/page-request.ts'
import type { Masker } from '../masking/masker.ts'
import { isObject, toText } from '../php/php-values.ts'
import type { Json } from '../tables/json-value.ts'
import { apiKeyAuthentication } from './api-key.ts'
import { type Authenticator, noAuthentication } from './authenticator.ts'
import { awsSigner } from './aws-signature.ts'
import { createJwtSigner, jwtAuthentication } from './jwt.ts'
import { loginAuthentication } from './login.ts'
import { parseData, requireCredentials } from './oauth-credentials.ts'
import { oauth2Authentication } from './oauth2.ts'
import { oauth10Authentication } from './oauth10.ts'
import { oauth20Authentication } from './oauth20.ts'
import { queryAuthentication } from './query.ts'
import type { RefreshTokens } from './refresh-tokens.ts'

interface AuthenticatorOptions {
  file: ConfigFile
  attributes: Record<string, Json>
  evaluate: EvaluateValues
  masker: Masker
  now: () => number
  sendLogin: (request: PageRequest) => Promise<Buffer>
  onLogin?: () => void
  refreshTokens: RefreshTokens
  /** Against a recording, in which every secret is `***`. */
  isReplay: boolean
}

/** The authentication of one iteration, with the AWS signature added where it is configured. */
export const createAuthenticator = (options: AuthenticatorOptions): Authenticator => {
  const authenticator = byType(options)
  const credentials = options.file.parameters.aws?.signature?.credentials
  if (credentials === undefined) return authenticator
  const signAws = awsSigner(credentials, options.now)
  return {
    ...authenticator,
    sign: async request => {
      const signed = await authenticator.sign(request)
      return { ...signed, request: await signAws(signed.request) }
    },
  }
}

const byType = (options: AuthenticatorOptions): Authenticator => {
  const { file, attributes, evaluate, now, masker, sendLogin: send, onLogin, isReplay } = options
  const settings = file.parameters.api.authentication
  const stored = file.authorization?.oauth_api?.credentials
  if (settings === undefined) return noAuthentication
  switch (settings.type) {
    case 'basic':
      return basicAuthentication(attributes)
    case 'query':
    case 'url.query':
      return queryAuthentication(settings.query ?? file.parameters.api.query, attributes, evaluate)
    case 'oauth10':
      return oauth10Authentication(stored, now)
    case 'oauth20':
      return oauth20Authentication(settings, stored, now, evaluate)
    case 'login':
      return loginAuthentication({ settings, attributes, evaluate, masker, now, send, onLogin })
    case 'oauth2':
      return oauth2Authentication({
        settings,
        attributes,
        evaluate,
        masker,
        now,
        send,
        onLogin,
        refreshTokens: options.refreshTokens,
        isReplay,
      })
    case 'jwt':
      return jwtAuthentication(
        createJwtSigner({ settings, attributes, evaluate, masker, now, isReplay }),
        now,
      )
    case 'apiKey':
      return apiKeyAuthentication(settings, attributes, evaluate, masker)
    case 'oauth20.login': {
      const { data, clientId, clientSecret } = requireCredentials(stored, '2.0')
      const user = parseData(data)
      if (!isObject(user))
        throw new UserError('extractor.authentication.oauth', 'The OAuth data is not a JSON object')
      const loginContext = { consumer: { client_id: clientId, client_secret: clientSecret }, user }
      return loginAuthentication({ settings, attributes, loginContext, evaluate, masker, now, send, onLogin })
    }
  }
}

/**
 * HTTP Basic (RFC 7617) with `username` and `password` of the `config` section; the `#` forms win.
 *
 * ```
 * "config": { "username": "ann", "#password": "pw" }
 * GET /orders    Authorization: Basic YW5uOnB3
 * ```
 */
const basicAuthentication = (attributes: Readonly<Record<string, Json>>): Authenticator => {
  const username = attributes['#username'] ?? attributes['username']
  const password = attributes['#password'] ?? attributes['password']
  if (username === undefined || password === undefined) {
    throw new UserError(
      'extractor.authentication.basic',
      `Basic authentication needs "#username" (or "username") and "#password" in the config section`,
    )
  }
  const credentials = Buffer.from(`${toText(username)}:${toText(password)}`).toString('base64')
  return {
    sign: async request => ({
      request: { ...request, headers: setHeader(request.headers, 'Authorization', `Basic ${credentials}`) },
      session: 0,
    }),
  }
}
