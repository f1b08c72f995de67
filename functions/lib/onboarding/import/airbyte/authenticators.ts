import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { bearerKey } from '../../bearer-key.ts'
import { expressionOf, expressionsOf, type Scope } from './values.ts'

export const authenticationOf = (
  given: Json | undefined,
  path: string,
  scope: Scope,
): JsonObject | undefined => {
  if (!isObject(given)) return undefined
  const text = (key: string): Json => expressionOf(given[key] ?? '', `${path}.${key}`, scope) ?? ''
  const { report, attributes } = scope
  switch (given['type']) {
    case 'NoAuth':
      return undefined
    case 'BearerAuthenticator':
      return bearerKey(text('api_token'))
    case 'ApiKeyAuthenticator':
      return { type: 'apiKey', ...placeOf(given, path, scope), value: text('api_token') }
    case 'BasicHttpAuthenticator': {
      for (const [key, name] of [
        ['username', 'username'],
        ['password', '#password'],
      ] as const) {
        const value = text(key)
        const attribute = isObject(value) && 'attr' in value ? String(value['attr']) : undefined
        if (isObject(value) && attribute === undefined)
          report.lost(`${path}.${key}`, 'it is worked out, which basic authentication cannot', 'rows')
        attributes.values[name] = attribute === undefined ? value : (attributes.values[attribute] ?? '')
        if (attribute !== undefined && attribute !== name) delete attributes.values[attribute]
      }
      return { type: 'basic' }
    }
    case 'OAuthAuthenticator':
      return oauth(given, text, path, scope)
    case 'SessionTokenAuthenticator':
      return session(given, path, scope)
    case 'SelectiveAuthenticator': {
      const keys = [given['authenticator_selection_path']].flat().map(String)
      const all = isObject(given['authenticators']) ? given['authenticators'] : {}
      const chosen = attributes.known(keys.join('.'))
      const name =
        typeof chosen === 'string' && Object.hasOwn(all, chosen) ? chosen : (Object.keys(all)[0] ?? '')
      const others = Object.keys(all).filter(each => each !== name)
      if (others.length > 0)
        report.lost(
          `${path}.authenticators`,
          `one is taken, "${name}"; not ${others.join(', ')}`,
          chosen === name ? 'none' : 'rows',
        )
      return authenticationOf(all[name], `${path}.authenticators.${name}`, scope)
    }
    default:
      report.lost(path, `an authenticator of the type ${String(given['type'])} has no counterpart`, 'rows')
      return undefined
  }
}

const placeOf = (given: JsonObject, path: string, { report }: Scope): JsonObject => {
  const option = isObject(given['inject_into']) ? given['inject_into'] : {}
  const name = String(option['field_name'] ?? given['header'] ?? 'Authorization')
  const place = String(option['inject_into'] ?? 'header')
  if (place === 'request_parameter') return { in: 'query', name }
  if (place !== 'header')
    report.lost(`${path}.inject_into`, `a key in ${place} has no counterpart: it is sent as a header`)
  return { in: 'header', name }
}

const oauth = (given: JsonObject, text: (key: string) => Json, path: string, scope: Scope): JsonObject => {
  const grant = String(given['grant_type'] ?? 'refresh_token')
  const isRefresh = grant !== 'client_credentials'
  if (!['refresh_token', 'client_credentials'].includes(grant))
    scope.report.lost(`${path}.grant_type`, `the grant ${grant} is not known`)
  scope.report.unread(given, path, [
    ...[
      'type',
      'grant_type',
      'token_refresh_endpoint',
      'client_id',
      'client_secret',
      'refresh_token',
      'scopes',
    ],
    ...[
      'refresh_request_body',
      'refresh_token_updater',
      'token_expiry_date',
      'expires_in_name',
      'access_token_name',
    ],
  ])
  const scopes = [given['scopes'] ?? []].flat().map(String)
  if (scopes.length > 1) scope.report.lost(`${path}.scopes`, 'several are sent as one text')
  const body = isObject(given['refresh_request_body']) ? given['refresh_request_body'] : {}
  return {
    type: 'oauth2',
    grant: isRefresh ? 'refresh_token' : 'client_credentials',
    tokenUrl: asExpression(text('token_refresh_endpoint')),
    clientId: text('client_id'),
    clientSecret: text('client_secret'),
    clientIn: 'body',
    ...(isRefresh ? { refreshToken: text('refresh_token') } : {}),
    params: {
      // Under the name that connectors send
      ...(scopes.length === 0 ? {} : { scopes: scopes.join(' ') }),
      ...expressionsOf(body, `${path}.refresh_request_body`, scope),
    },
  }
}

/** A setting that is the whole address. */
const asExpression = (value: Json): Json =>
  isObject(value) && 'attr' in value ? { expr: `attr[${JSON.stringify(value['attr'])}]` } : value

/** An address is known when the configuration is made, and so are the settings in it. */
const addressText = (value: Json, path: string, { report }: Scope): string => {
  if (typeof value === 'string') return value
  report.lost(path, 'the address needs settings that are not given: give them with --settings', 'rows')
  return ''
}

/** A first request for a token that the others carry. */
const session = (given: JsonObject, path: string, scope: Scope): JsonObject | undefined => {
  const login = isObject(given['login_requester']) ? given['login_requester'] : {}
  const request = isObject(given['request_authentication']) ? given['request_authentication'] : {}
  const at = `${path}.login_requester`
  scope.report.unread(login, at, [
    ...['type', 'url_base', 'url', 'path', 'http_method', 'authenticator', 'error_handler'],
    ...['request_parameters', 'request_headers', 'request_body_json', 'request_body_data'],
  ])
  const read = (key: string): string =>
    addressText(expressionOf(login[key] ?? '', `${at}.${key}`, scope) ?? '', `${at}.${key}`, scope)
  const base = read(login['url_base'] === undefined ? 'url' : 'url_base')
  const own = authenticationOf(login['authenticator'], `${at}.authenticator`, scope)
  const credentials = loginHeaders(own, `${at}.authenticator`, scope)
  const isJson = isObject(login['request_body_json'])
  const body = login['request_body_json'] ?? login['request_body_data'] ?? login['request_parameters']
  const isPost = String(login['http_method'] ?? 'GET').toUpperCase() === 'POST'
  const token = { response: [given['session_token_path']].flat().map(String).join('.') }
  const isBearer = request['type'] === 'Bearer'
  const place = isBearer
    ? { in: 'header', name: 'Authorization' }
    : placeOf(request, `${path}.request_authentication`, scope)
  const value = isBearer ? { function: 'concat', args: ['Bearer ', token] } : token
  if (given['expiration_duration'] !== undefined)
    scope.report.lost(
      `${path}.expiration_duration`,
      'a new login follows when a request is answered with 401',
    )
  return {
    type: 'login',
    loginRequest: {
      endpoint: `${base.replace(/\/+$/, '')}/${read('path').replace(/^\/+/, '')}`.replace(/\/$/, ''),
      method: isPost ? (isJson ? 'POST' : 'FORM') : 'GET',
      ...(isObject(body) ? { params: expressionsOf(body, `${at}.body`, scope) } : {}),
      ...(isObject(login['request_headers']) || Object.keys(credentials).length > 0
        ? {
            headers: {
              ...credentials,
              ...expressionsOf(login['request_headers'] ?? {}, `${at}.request_headers`, scope),
            },
          }
        : {}),
    },
    apiRequest: { [place['in'] === 'query' ? 'query' : 'headers']: { [String(place['name'])]: value } },
  }
}

/** The authenticator of a login as headers of that one request. */
const loginHeaders = (
  own: JsonObject | undefined,
  path: string,
  { attributes, report }: Scope,
): JsonObject => {
  if (own === undefined) return {}
  if (own['type'] === 'basic') {
    const name = String(attributes.values['username'] ?? '')
    const { attr } = attributes.hide('login_password', attributes.values['#password'] ?? '')
    const read = { function: 'concat', args: [`${name}:`, { attr }] }
    return {
      Authorization: { function: 'concat', args: ['Basic ', { function: 'base64_encode', args: [read] }] },
    }
  }
  if (own['type'] === 'apiKey' && own['in'] === 'header') return { [String(own['name'])]: own['value'] ?? '' }
  report.lost(path, `a login by ${String(own['type'])} of a login has no counterpart`, 'rows')
  return {}
}
