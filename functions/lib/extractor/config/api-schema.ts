import * as z from 'zod'
import { Authentication } from './authentication-schema.ts'
import { ErrorRule } from './error-rules-schema.ts'
import {
  decimal,
  filePart,
  flag,
  integer,
  optional,
  optionalUnlessEmpty,
  record,
  text,
  Value,
} from './fields.ts'
import { Method, Params } from './job-schema.ts'
import { Pagination } from './pagination-schema.ts'
import { strictObject } from './strict-object.ts'

const codes = z.array(z.int())

/** See docs/reference/extractor.md#retries-and-errors. The flat names are an older spelling of the same. */
const RetryConfig = strictObject({
  maxRetries: optional(integer),
  http: optional(
    strictObject(
      { retryHeader: optional(text), codes: optional(codes) },
      { maxRetries: 'write it one level up, in "retryConfig"' },
    ),
  ),
  curl: optional(strictObject({ codes: optional(codes) })),
  headerName: optional(text),
  httpCodes: optional(codes),
  curlCodes: optional(codes),
  maxTotalSeconds: optional(decimal),
})

/**
 * `defaultOptions` is laid under every job: it may hold any request key, and the job keys that Generic Extractor
 * allows there.
 */
const DefaultOptions = strictObject({
  endpoint: optional(text),
  params: optional(Params),
  method: optionalUnlessEmpty(Method),
  headers: optional(record(Value)),
})

const Http = strictObject({
  headers: optional(record(Value)),
  requiredHeaders: optional(z.array(text)),
  defaultOptions: optionalUnlessEmpty(DefaultOptions),
  ignoreErrors: optional(z.array(integer)),
  connectTimeout: optional(decimal),
  requestTimeout: optional(decimal),
  // Ours
  evaluate: optional(flag),
  maxConcurrency: optional(integer),
  bodyLimitBytes: optional(integer),
  trustedOrigins: optional(z.array(z.url())),
  errorRules: optional(z.array(ErrorRule)),
})

/** `parameters.api` (docs/reference/extractor.md#api). */
export const Api = strictObject({
  baseUrl: z.union([z.string(), z.record(z.string(), z.unknown())]),
  name: optional(filePart),
  caCertificate: optional(z.string()),
  clientCertificate: optional(z.string()),
  '#clientCertificate': optional(z.string()),
  pagination: optionalUnlessEmpty(Pagination),
  authentication: optionalUnlessEmpty(Authentication),
  retryConfig: optionalUnlessEmpty(RetryConfig),
  http: optionalUnlessEmpty(Http),
  query: optional(record(Value)),
}).refine(api => canLogIn(api.authentication) || !asksForLogin(api.http?.errorRules), {
  path: ['http', 'errorRules'],
  error: '"do": "login" needs an authentication that logs in',
})

const canLogIn = (authentication: Authentication | undefined): boolean =>
  authentication !== undefined && ['login', 'oauth20.login'].includes(authentication.type)

const asksForLogin = (rules: readonly ErrorRule[] = []): boolean => rules.some(rule => rule.do === 'login')

export type Api = z.output<typeof Api>
