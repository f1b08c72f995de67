import * as z from 'zod'
import {
  integer,
  key,
  kindsOf,
  maybe,
  name,
  optionalUnlessEmpty,
  record,
  strictObject,
  text,
  unknownKind,
  Value,
} from './fields.ts'

/** Request parameters: an object, or a list when a POST body has to be one. */
export const Params = z.union([record(Value), z.array(Value)])

export const Method = z
  .string()
  .transform(method => method.toUpperCase())
  .pipe(z.enum(['GET', 'POST', 'FORM'], { error: 'method must be GET, POST or FORM' }))

/** What a request is made of: a job, `defaultOptions`, `loginRequest` and `scrollRequest` share it. */
export const requestShape = {
  endpoint: maybe(text, 'Where it goes: relative to the base address, from its root, or absolute.'),
  params: maybe(
    Params,
    'Query or body, see requests. Values may be expressions with `attr` and `time`, worked out once per run of the job.',
  ),
  method: key(optionalUnlessEmpty(Method), '`GET`, `POST` (JSON body) or `FORM` (form body).', 'GET'),
  headers: maybe(record(Value), 'Headers of its own.'),
}

const jwtShape = {
  algorithm: key(z.enum(['HS256', 'RS256', 'ES256']), 'The algorithm of the signature.'),
  key: key(
    Value,
    'What signs; may be an expression. A text for HS256; else a private key as PEM, line breaks also as `\\n`.',
  ),
  keyId: maybe(text, 'The `kid` of the header.'),
  claims: maybe(
    record(Value),
    'Values may be expressions. `iat` and `exp` are added where they are missing.',
  ),
  lifetime: maybe(
    integer.refine(seconds => seconds > 0, 'must be a positive number of seconds'),
    'Seconds from `iat` to `exp`; of an assertion 300 when it is missing.',
    3600,
  ),
}

const Assertion = strictObject(jwtShape)

export type JwtSettings = z.output<typeof Assertion>

/** What each grant cannot do without. */
const neededBy = {
  client_credentials: ['clientId', 'clientSecret'],
  refresh_token: ['refreshToken'],
  jwt_bearer: ['assertion'],
} as const

/** Ours (docs/reference/extractor-authentication.md#oauth2). */
const oauth2 = strictObject({
  type: key(z.literal('oauth2'), 'The kind.'),
  grant: key(
    z.enum(['client_credentials', 'refresh_token', 'jwt_bearer']),
    'What buys the access token. The first needs `clientId` and `clientSecret`, the second `refreshToken`, the third `assertion`.',
  ),
  tokenUrl: key(
    z.union([name, z.record(z.string(), Value)]),
    'Where: an address, or a path of the API; may be an expression of the configuration. `defaultOptions` do not apply.',
  ),
  clientId: maybe(Value, 'May be an expression.'),
  clientSecret: maybe(Value, 'May be an expression.'),
  clientIn: maybe(
    z.enum(['header', 'body']),
    '`header`: as Basic authentication; `body`: as `client_id` and `client_secret`. Without a secret the id goes into the body.',
    'header',
  ),
  refreshToken: maybe(Value, 'May be an expression.'),
  assertion: maybe(Assertion, 'A signed token, as in [jwt](#jwt).'),
  scope: maybe(text, 'Parameter of the token request.'),
  params: maybe(record(Value), 'More parameters of the token request. Values may be expressions.'),
}).superRefine((settings, context) => {
  for (const needed of neededBy[settings.grant]) {
    if (settings[needed] === undefined)
      context.addIssue({ code: 'custom', message: `"grant": "${settings.grant}" needs "${needed}"` })
  }
})

/** Ours (docs/reference/extractor-authentication.md#jwt). */
const jwt = strictObject({ type: key(z.literal('jwt'), 'The kind.'), ...jwtShape })

/** Ours (docs/reference/extractor-authentication.md#apikey). */
const apiKey = strictObject({
  type: key(z.literal('apiKey'), 'The kind.'),
  in: key(z.enum(['header', 'query', 'cookie']), 'Where it is sent.'),
  name: key(name, 'Name of the header, the parameter or the cookie.'),
  value: key(Value, 'The key; may be an expression.'),
  prefix: maybe(z.string(), 'Text in front of the key.'),
})

export type OAuth2Authentication = z.output<typeof oauth2>
export type ApiKeyAuthentication = z.output<typeof apiKey>

const loginRequest = strictObject({
  endpoint: key(name, 'As that of a job; another host may be named.'),
  params: maybe(Params, 'Values may be expressions.'),
  method: key(optionalUnlessEmpty(Method), '`GET`, `POST` or `FORM`.', 'GET'),
  headers: maybe(record(Value), 'Values may be expressions.'),
})

const apiRequest = strictObject({
  headers: maybe(
    record(Value),
    'Headers of data requests: expressions with `response` and `attr`, or a path in the login response.',
  ),
  query: maybe(record(Value), 'Parameters of data requests, in the same way.'),
})

const expiry = strictObject({
  response: key(name, 'Where the login response says it.'),
  relative: maybe(z.boolean(), '`true`: it is a number of seconds; `false`: a time or a date.', false),
})

const expires = z.union([integer, expiry], {
  error: `The 'expires' attribute must be either an integer or an object with a 'response' key containing a path in the response`,
})

const loginShape = {
  loginRequest: key(loginRequest, 'The request for credentials.'),
  apiRequest: maybe(apiRequest, 'How data requests carry them.'),
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
  query: maybe(
    record(Value),
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
    headers: maybe(
      record(Value),
      'Expressions with `authorization`, `query` and `request`, worked out for each request.',
    ),
    query: maybe(record(Value), 'Parameters, in the same way.'),
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
  '#data': maybe(text, 'What the authorization returned: JSON text, or a token.'),
  appKey: maybe(text, 'The client id (consumer key) of the application.'),
  '#appSecret': maybe(text, 'The client secret of the application.'),
})

export type OAuthCredentials = z.output<typeof OAuthCredentials>
