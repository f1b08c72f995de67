import * as z from 'zod'
import { plainNumber } from '#lib/json/json-value.ts'
import { Authentication, Method, Params } from './authentication-schema.ts'
import {
  decimal,
  filePart,
  integer,
  key,
  maybe,
  optionalUnlessEmpty,
  record,
  strictObject,
  text,
  Value,
} from './fields.ts'
import { Pagination } from './pagination-schema.ts'
import { ErrorRule, isLoginPossible, NO_LOGIN, ResponseSettings } from './response-schema.ts'

const count = integer.refine(value => value > 0, 'must be above 0')
const span = decimal.refine(value => value > 0, 'must be above 0')

/** `api.http.budget` (docs/reference/extractor-requests.md#budget). Ours. */
export const Budget = strictObject({
  requests: key(count, 'Requests that are sent at most within `seconds`.'),
  seconds: key(span, 'Length of the span; it holds for any span of that length.'),
})

export type Budget = z.output<typeof Budget>

const codes = z.array(z.preprocess(plainNumber, z.int()))

/** See docs/reference/extractor-requests.md#retries-and-errors. The flat names are an older spelling of the same. */
const RetryConfig = strictObject({
  maxRetries: maybe(integer, 'How often a request is sent again.', 10),
  http: maybe(
    strictObject(
      {
        retryHeader: maybe(
          text,
          'The header that says when to try again: seconds, a Unix time or an HTTP date.',
          'Retry-After',
        ),
        codes: maybe(
          codes,
          'Statuses that are tried again. Given ones replace the default. With 429 a 403 too, if it says when a limit opens.',
          [500, 502, 503, 504, 408, 420, 429],
        ),
      },
      { advice: { maxRetries: 'write it one level up, in "retryConfig"' } },
    ),
    'Answers of the server.',
  ),
  curl: maybe(
    strictObject({
      codes: maybe(
        codes,
        "Network failures that are tried again, by curl's numbers: 28 time-out, 6 name, 7 connect, 35 TLS, 52 no reply, 56 broken off, 18 cut short.",
        [28, 6, 7, 35, 52, 56, 18],
      ),
    }),
    'Failures of the network.',
  ),
  headerName: maybe(text, 'Older name of `http.retryHeader`, which wins.'),
  httpCodes: maybe(codes, 'Older name of `http.codes`, which wins.'),
  curlCodes: maybe(codes, 'Older name of `curl.codes`, which wins.'),
  maxTotalSeconds: maybe(
    decimal,
    'Ours: a request that would wait longer than this, all its waits together, fails.',
    3600,
  ),
})

/**
 * `defaultOptions` is laid under every job: it may hold any request key, and the job keys that Generic Extractor
 * allows there.
 */
const DefaultOptions = strictObject({
  endpoint: maybe(text, 'Taken, but every job has an endpoint of its own, which wins.'),
  params: maybe(Params, 'Params of every data request; those of the job win.'),
  method: key(optionalUnlessEmpty(Method), 'The method of jobs that name none.', 'GET'),
  headers: maybe(record(Value), 'Headers of every data request; those of the job win.'),
})

const Http = strictObject({
  headers: maybe(
    record(Value),
    'Sent with every request, the login too. Values may be expressions with `attr`.',
  ),
  requiredHeaders: maybe(z.array(text), 'Each of these names must be set in `config.http.headers`.'),
  defaultOptions: key(
    optionalUnlessEmpty(DefaultOptions),
    'Laid below every data request, next pages too; not below the login. Literal values only.',
  ),
  ignoreErrors: maybe(
    z.array(integer),
    'Statuses whose body is taken as the response, after the retries and with a warning.',
  ),
  connectTimeout: maybe(decimal, 'Seconds for a connection.', 30),
  requestTimeout: maybe(decimal, 'Seconds for a request with its whole answer.', 300),
  lists: maybe(
    z.enum(['indexed', 'repeat']),
    'Ours: how a list goes into a query or form, as `a[0]=x&a[1]=y` or as `a=x&a=y`.',
    'indexed',
  ),
  maxConcurrency: maybe(integer, 'Ours: requests under way at once. 1 asks strictly one after the other.', 8),
  bodyLimitBytes: maybe(integer, 'Ours: bytes of the largest response, packed and unpacked.', 268_435_456),
  trustedOrigins: maybe(
    z.array(z.url()),
    'Ours: further origins that headers, credentials and secrets may be sent to.',
  ),
  budget: maybe(
    Budget,
    'Ours: how many requests a run may send in a time. Without it: as many as the API takes.',
  ),
  errorRules: maybe(
    z.array(ErrorRule),
    'Ours: what becomes of a response by its status, header or body. The first rule that fits decides.',
  ),
})

/** `parameters.api` (docs/reference/extractor.md#api). */
export const Api = strictObject({
  baseUrl: key(
    z.union([z.string(), z.record(z.string(), z.unknown())]),
    'Endpoints are resolved against it (RFC 3986). An address, or an expression with `attr`.',
  ),
  name: maybe(filePart, 'Part of the bucket that is made from `config.id`.', 'generic'),
  caCertificate: maybe(z.string(), 'PEM text of the trusted authorities, in place of the known ones.'),
  clientCertificate: maybe(z.string(), 'As `#clientCertificate`, not sealed.'),
  '#clientCertificate': maybe(z.string(), 'PEM text for mutual TLS: the certificate, then its private key.'),
  pagination: key(optionalUnlessEmpty(Pagination), 'How a job gets its next page. Without it: one page.'),
  authentication: key(optionalUnlessEmpty(Authentication), 'Which credentials requests carry.'),
  retryConfig: key(optionalUnlessEmpty(RetryConfig), 'What is tried again, how often and how long.'),
  http: key(optionalUnlessEmpty(Http), 'Headers, defaults, errors and limits of requests.'),
  response: maybe(
    ResponseSettings,
    'Ours: what the answers of all jobs are written in, see [responses](extractor-responses.md). Without it: JSON.',
  ),
  query: maybe(record(Value), 'Deprecated: the `query` of query authentication, when that has none.'),
}).refine(api => isLoginPossible(api.authentication, api.http?.errorRules), {
  path: ['http', 'errorRules'],
  error: NO_LOGIN,
})

export type Api = z.output<typeof Api>
