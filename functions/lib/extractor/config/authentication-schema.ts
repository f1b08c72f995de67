import * as z from 'zod'
import { integer, key, name, optional, optionalUnlessEmpty, record, text, Value } from './fields.ts'
import { Method, Params } from './request-schema.ts'
import { strictObject } from './strict-object.ts'
import { apiKey, jwt, oauth2 } from './token-schema.ts'
import { kindsOf, unknownKind } from './unknown-kind.ts'

const loginRequest = strictObject({
  endpoint: key(name, 'As that of a job; another host may be named.'),
  params: key(optional(Params), 'Values may be expressions.'),
  method: key(optionalUnlessEmpty(Method), '`GET`, `POST` or `FORM`.', 'GET'),
  headers: key(optional(record(Value)), 'Values may be expressions.'),
})

const apiRequest = strictObject({
  headers: key(
    optional(record(Value)),
    'Headers of data requests: expressions with `response` and `attr`, or a path in the login response.',
  ),
  query: key(optional(record(Value)), 'Parameters of data requests, in the same way.'),
})

const expiry = strictObject({
  response: key(name, 'Where the login response says it.'),
  relative: key(
    optional(z.boolean()),
    '`true`: it is a number of seconds; `false`: a time or a date.',
    false,
  ),
})

const expires = z.union([integer, expiry], {
  error: `The 'expires' attribute must be either an integer or an object with a 'response' key containing a path in the response`,
})

const loginShape = {
  loginRequest: key(loginRequest, 'The request for credentials.'),
  apiRequest: key(optional(apiRequest), 'How data requests carry them.'),
  format: key(
    optionalUnlessEmpty(z.enum(['json', 'text'])),
    '`text`: the response is read as `{"data": <its text>}`.',
    'json',
  ),
  expires: key(
    optionalUnlessEmpty(expires),
    'When to log in again: seconds, or where the response says it. Without it never; 0 before every request.',
  ),
}

const queryShape = {
  query: key(
    optional(record(Value)),
    'Parameters of every data request, in the place of equal names: values, or expressions with `attr`, `query` and `request`.',
  ),
}
const queryAdvice = {
  apiRequest: 'it belongs to a login; write "query" here, and headers in "api.http.headers"',
}

const kinds = [
  strictObject({ type: key(z.literal('basic'), 'The kind.') }),
  strictObject({ type: key(z.literal('query'), 'The kind.'), ...queryShape }, { advice: queryAdvice }),
  strictObject({ type: key(z.literal('url.query'), 'The kind.'), ...queryShape }, { advice: queryAdvice }),
  strictObject({ type: key(z.literal('login'), 'The kind.'), ...loginShape }),
  strictObject({ type: key(z.literal('oauth20.login'), 'The kind.'), ...loginShape }),
  strictObject({ type: key(z.literal('oauth10'), 'The kind.') }),
  strictObject({
    type: key(z.literal('oauth20'), 'The kind.'),
    format: key(
      optionalUnlessEmpty(z.enum(['json', 'text'])),
      'What `#data` holds: `json` is reached as `data.<path>`, `text` as `data`.',
      'text',
    ),
    headers: key(
      optional(record(Value)),
      'Expressions with `authorization`, `query` and `request`, worked out for each request.',
    ),
    query: key(optional(record(Value)), 'Parameters, in the same way.'),
  }),
  oauth2,
  jwt,
  apiKey,
] as const

/** `api.authentication` (docs/reference/extractor-authentication.md#authentication). */
export const Authentication = z.discriminatedUnion('type', kinds, {
  error: unknownKind('type', 'Unknown authorization type', kindsOf('type', kinds)),
})

export type Authentication = z.output<typeof Authentication>
export type LoginAuthentication = Extract<Authentication, { type: 'login' | 'oauth20.login' }>
export type OAuth20Authentication = Extract<Authentication, { type: 'oauth20' }>

/** `authorization.oauth_api.credentials`: what the platform's OAuth broker stored. */
export const OAuthCredentials = z.looseObject({
  '#data': key(optional(text), 'What the authorization returned: JSON text, or a token.'),
  appKey: key(optional(text), 'The client id (consumer key) of the application.'),
  '#appSecret': key(optional(text), 'The client secret of the application.'),
})

export type OAuthCredentials = z.output<typeof OAuthCredentials>
