import * as z from 'zod'
import { integer, key, name, optional, record, text, Value } from './fields.ts'
import { strictObject } from './strict-object.ts'

const Algorithm = z.enum(['HS256', 'RS256', 'ES256'], {
  error: ({ input }) =>
    /^([HRPE]S(256|384|512)|EdDSA)$/.test(String(input))
      ? `"${input}" is gone: use "HS256", "RS256" or "ES256"`
      : undefined,
})

const jwtShape = {
  algorithm: key(Algorithm, 'The algorithm of the signature.'),
  key: key(
    Value,
    'What signs; may be an expression. A text for HS256; else a private key as PEM, line breaks also as `\\n`.',
  ),
  keyId: key(optional(text), 'The `kid` of the header.'),
  claims: key(
    optional(record(Value)),
    'Values may be expressions. `iat` and `exp` are added where they are missing.',
  ),
  lifetime: key(
    optional(integer.refine(seconds => seconds > 0, 'must be a positive number of seconds')),
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
export const oauth2 = strictObject({
  type: key(z.literal('oauth2'), 'The kind.'),
  grant: key(
    z.enum(['client_credentials', 'refresh_token', 'jwt_bearer']),
    'What buys the access token. The first needs `clientId` and `clientSecret`, the second `refreshToken`, the third `assertion`.',
  ),
  tokenUrl: key(
    z.union([name, z.record(z.string(), Value)]),
    'Where: an address, or a path of the API; may be an expression of the configuration. `defaultOptions` do not apply.',
  ),
  clientId: key(optional(Value), 'May be an expression.'),
  clientSecret: key(optional(Value), 'May be an expression.'),
  clientIn: key(
    optional(z.enum(['header', 'body'])),
    '`header`: as Basic authentication; `body`: as `client_id` and `client_secret`. Without a secret the id goes into the body.',
    'header',
  ),
  refreshToken: key(optional(Value), 'May be an expression.'),
  assertion: key(optional(Assertion), 'A signed token, as in [jwt](#jwt).'),
  scope: key(optional(text), 'Parameter of the token request.'),
  params: key(optional(record(Value)), 'More parameters of the token request. Values may be expressions.'),
}).superRefine((settings, context) => {
  for (const needed of neededBy[settings.grant]) {
    if (settings[needed] === undefined)
      context.addIssue({ code: 'custom', message: `"grant": "${settings.grant}" needs "${needed}"` })
  }
})

/** Ours (docs/reference/extractor-authentication.md#jwt). */
export const jwt = strictObject({ type: key(z.literal('jwt'), 'The kind.'), ...jwtShape })

/** Ours (docs/reference/extractor-authentication.md#apikey). */
export const apiKey = strictObject({
  type: key(z.literal('apiKey'), 'The kind.'),
  in: key(z.enum(['header', 'query', 'cookie']), 'Where it is sent.'),
  name: key(name, 'Name of the header, the parameter or the cookie.'),
  value: key(Value, 'The key; may be an expression.'),
  prefix: key(optional(z.string()), 'Text in front of the key.'),
})

export type OAuth2Authentication = z.output<typeof oauth2>
export type ApiKeyAuthentication = z.output<typeof apiKey>
