import { isContainer, type Json } from '#lib/json/json-value.ts'
import type { LoginAuthentication } from '../../config/authentication-schema.ts'
import type { ExpressionContext } from '../../values/functions/function-table.ts'
import { isEmpty, toText } from '../../values/php/php-values.ts'
import { valueAt } from '../../values/select/json-path.ts'
import type { Authenticator, AuthenticatorOptions, Login } from '../http/authenticator.ts'
import { checkHeaders } from '../http/outgoing-request.ts'
import type { PageRequest, Params } from '../http/page-request.ts'
import { withParts } from '../masking/secrets-of.ts'
import { credentialsIn, loginExpiry, toLoginResponse, withoutRefreshTokens } from './login-response.ts'
import { sessionAuthentication } from './sessions.ts'

interface LoginOptions extends AuthenticatorOptions {
  settings: LoginAuthentication
  /** Contexts besides `attr` for the login request: `consumer` and `user` for `oauth20.login`. */
  loginContext?: ExpressionContext
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
