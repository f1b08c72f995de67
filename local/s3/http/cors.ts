import { matchesWildcards } from '../auth/policy.ts'
import type { HttpRequest } from './s3-request.ts'

/** A rule of a bucket's CORS configuration (S3 User Guide, "Elements of a CORS configuration"). `*` stands for any text. */
export interface CorsRule {
  allowedOrigins: readonly string[]
  allowedMethods: readonly string[]
  allowedHeaders: readonly string[]
  exposedHeaders: readonly string[]
  maxAgeSeconds: number | undefined
}

interface CorsRequest {
  origin: string
  method: string
  /** Names of headers that the browser wants to send; only a preflight says them. */
  headers: readonly string[]
}

/**
 * What a reply has to say so that a browser gives it to a page of another origin.
 *
 * @returns `undefined` when no rule of the bucket allows the request
 */
export const corsHeaders = (
  rules: readonly CorsRule[],
  { origin, method, headers }: CorsRequest,
): Record<string, string | undefined> | undefined => {
  const rule = rules.find(
    one =>
      matchesOne(one.allowedOrigins, origin) &&
      one.allowedMethods.includes(method) &&
      headers.every(name => matchesOne(one.allowedHeaders, name)),
  )
  if (rule === undefined) return undefined
  return {
    'access-control-allow-origin': rule.allowedOrigins.includes('*') ? '*' : origin,
    'access-control-allow-methods': rule.allowedMethods.join(', '),
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
    'access-control-allow-headers': headers.join(', ') || undefined,
    'access-control-expose-headers': rule.exposedHeaders.join(', ') || undefined,
    'access-control-max-age': rule.maxAgeSeconds?.toString(),
  }
}

const matchesOne = (patterns: readonly string[], text: string): boolean =>
  patterns.some(pattern => matchesWildcards(pattern.toLowerCase(), text.toLowerCase()))

/** Origin, method and headers of a request by a page; `undefined` when no page sent it. */
export const corsRequestOf = ({
  method,
  headers,
}: HttpRequest): (CorsRequest & { isPreflight: boolean }) | undefined => {
  const { origin } = headers
  if (origin === undefined) return undefined
  const wanted = headers['access-control-request-method']
  const isPreflight = method === 'OPTIONS' && wanted !== undefined
  const names = isPreflight ? (headers['access-control-request-headers'] ?? '') : ''
  return {
    origin,
    isPreflight,
    method: isPreflight ? wanted : method,
    headers: names.split(/\s*,\s*/).filter(name => name !== ''),
  }
}
