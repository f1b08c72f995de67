import type { Authentication } from '../config/authentication-schema.ts'

/** A login as a plan shows it: what is sent before the first request, and what each request gets from its response. */
interface DescribedLogin {
  lines: string[]
  headers: string[]
  params: string[]
}

/** `undefined` for an authentication that sends no request of its own. */
export const describeLogin = (
  authentication: Authentication | undefined,
  /** The key that holds it. */
  where: string,
  defaultHeaders: readonly string[],
): DescribedLogin | undefined => {
  if (authentication === undefined) return undefined
  if (authentication.type === 'oauth2') {
    const { tokenUrl, grant, scope, params } = authentication
    return {
      lines: [
        `POST ${typeof tokenUrl === 'string' ? tokenUrl : '***'} (token request, before the first request)`,
        ...defaultHeaders.map(name => `  header ${name}: *** (http.headers)`),
        `  param grant_type: ${grant}`,
        ...(scope === undefined ? [] : [`  param scope: ${scope}`]),
        ...Object.keys(params ?? {}).map(name => `  param ${name}: *** (${where}.params)`),
      ],
      headers: ['  header Authorization: *** (token response)'],
      params: [],
    }
  }
  if (!('loginRequest' in authentication)) return undefined
  const { method = 'GET', endpoint, params, headers } = authentication.loginRequest
  const { apiRequest } = authentication
  return {
    lines: [
      `${method === 'GET' ? 'GET' : 'POST'} ${endpoint} (login, before the first request)`,
      ...defaultHeaders.map(name => `  header ${name}: *** (http.headers)`),
      ...Object.keys(headers ?? {}).map(name => `  header ${name}: *** (loginRequest.headers)`),
      ...Object.keys(params ?? {}).map(name => `  param ${name}: *** (loginRequest.params)`),
    ],
    headers: applied('header', apiRequest?.headers),
    params: applied('param', apiRequest?.query),
  }
}

const applied = (kind: 'header' | 'param', values: object | undefined): string[] =>
  Object.keys(values ?? {}).map(name => `  ${kind} ${name}: *** (login response)`)
