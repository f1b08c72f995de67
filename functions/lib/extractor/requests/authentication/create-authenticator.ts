import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import type { Authentication } from '../../config/authentication-schema.ts'
import type { ConfigFile } from '../../config/config-schema.ts'
import { toText } from '../../values/php/php-values.ts'
import { type Authenticator, type AuthenticatorOptions, noAuthentication } from '../http/authenticator.ts'
import { setHeader } from '../http/outgoing-request.ts'
import { awsSigner } from './aws-signature.ts'
import { createJwtSigner, jwtAuthentication } from './jwt.ts'
import { loginAuthentication, oauth2Authentication } from './login.ts'
import {
  apiKeyAuthentication,
  oauth10Authentication,
  oauth20Authentication,
  parseData,
  queryAuthentication,
  requireCredentials,
} from './query.ts'

interface CreateOptions extends AuthenticatorOptions {
  file: ConfigFile
  /** Of the API, or of a job. */
  authentication: Authentication | undefined
}

/** The authentication of one iteration, with the AWS signature added where it is configured. */
export const createAuthenticator = (options: CreateOptions): Authenticator => {
  const authenticator = byType(options)
  const credentials = options.file.parameters.aws?.signature?.credentials
  if (credentials === undefined) return authenticator
  const signAws = awsSigner(credentials, options.now)
  return {
    ...authenticator,
    sign: async request => signAws(await authenticator.sign(request)),
  }
}

const byType = (options: CreateOptions): Authenticator => {
  const { file, authentication: settings, attributes, evaluate, now, masker } = options
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
      return loginAuthentication({ ...options, settings })
    case 'oauth2':
      return oauth2Authentication({ ...options, settings })
    case 'jwt':
      return jwtAuthentication(createJwtSigner({ ...options, settings }), now)
    case 'apiKey':
      return apiKeyAuthentication(settings, attributes, evaluate, masker)
    case 'oauth20.login': {
      const { data, clientId, clientSecret } = requireCredentials(stored, '2.0')
      const user = parseData(data)
      if (!isObject(user))
        throw new UserError('extractor.authentication.oauth', 'The OAuth data is not a JSON object')
      const loginContext = { consumer: { client_id: clientId, client_secret: clientSecret }, user }
      return loginAuthentication({ ...options, settings, loginContext })
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
      ...request,
      headers: setHeader(request.headers, 'Authorization', `Basic ${credentials}`),
    }),
  }
}
