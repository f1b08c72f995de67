import * as z from 'zod'
import { integer, name, optional, optionalUnlessEmpty, record, text, Value } from './fields.ts'
import { Method, Params } from './job-schema.ts'
import { strictObject } from './strict-object.ts'
import { kindsOf, unknownKind } from './unknown-kind.ts'

const loginRequest = strictObject({
  endpoint: name,
  params: optional(Params),
  method: optionalUnlessEmpty(Method),
  headers: optional(record(Value)),
})

const apiRequest = strictObject({ headers: optional(record(Value)), query: optional(record(Value)) })

const expires = z.union([integer, strictObject({ response: name, relative: optional(z.boolean()) })], {
  error: `The 'expires' attribute must be either an integer or an object with a 'response' key containing a path in the response`,
})

const loginShape = {
  loginRequest,
  apiRequest: optional(apiRequest),
  format: optionalUnlessEmpty(z.enum(['json', 'text'])),
  expires: optionalUnlessEmpty(expires),
}

const queryShape = { query: optional(record(Value)) }
const queryAdvice = {
  apiRequest: 'it belongs to a login; write "query" here, and headers in "api.http.headers"',
}

const kinds = [
  strictObject({ type: z.literal('basic') }),
  strictObject({ type: z.literal('query'), ...queryShape }, queryAdvice),
  strictObject({ type: z.literal('url.query'), ...queryShape }, queryAdvice),
  strictObject({ type: z.literal('login'), ...loginShape }),
  strictObject({ type: z.literal('oauth20.login'), ...loginShape }),
  strictObject({ type: z.literal('oauth10') }),
  strictObject({
    type: z.literal('oauth20'),
    format: optionalUnlessEmpty(z.enum(['json', 'text'])),
    headers: optional(record(Value)),
    query: optional(record(Value)),
  }),
] as const

/** `api.authentication` (docs/reference/extractor.md#authentication). */
export const Authentication = z.discriminatedUnion('type', kinds, {
  error: unknownKind('type', 'Unknown authorization type', kindsOf('type', kinds)),
})

export type Authentication = z.output<typeof Authentication>
export type LoginAuthentication = Extract<Authentication, { type: 'login' | 'oauth20.login' }>
export type OAuth20Authentication = Extract<Authentication, { type: 'oauth20' }>

/** `authorization.oauth_api.credentials`: what the platform's OAuth broker stored. */
export const OAuthCredentials = z.looseObject({
  '#data': optional(text),
  appKey: optional(text),
  '#appSecret': optional(text),
})

export type OAuthCredentials = z.output<typeof OAuthCredentials>
