import { randomBytes } from 'node:crypto'
import type { OAuth20Authentication, OAuthCredentials } from '../../config/authentication-schema.ts'
import type { EvaluateValues } from '../../values/functions/evaluate-values.ts'
import { replaceInQuery } from '../../values/php/query.ts'
import type { Authenticator } from '../http/authenticator.ts'
import { checkHeaders, setHeaders } from '../http/outgoing-request.ts'
import { parseData, requireCredentials } from './oauth-credentials.ts'
import { requestContext } from './request-context.ts'
import { withQuery } from './with-query.ts'

/**
 * Headers and query worked out for each request from the broker's `#data` (docs/reference/extractor-authentication.md#oauth20).
 *
 * ```
 * { "type": "oauth20", "format": "json",
 *   "headers": { "Authorization": { "function": "concat", "args": ["Bearer ", { "authorization": "data.access_token" }] } } }
 * GET /orders    Authorization: Bearer eyJ...
 * ```
 */
export const oauth20Authentication = (
  settings: OAuth20Authentication,
  stored: OAuthCredentials | undefined,
  now: () => number,
  evaluate: EvaluateValues,
): Authenticator => {
  const { data, clientId } = requireCredentials(stored, '2.0')
  const content = settings.format === 'json' ? parseData(data) : data
  return {
    sign: async request => {
      const context = {
        ...requestContext(request),
        authorization: {
          clientId,
          nonce: randomBytes(8).toString('hex'),
          timestamp: Math.floor(now()),
          data: content,
        },
      }
      const query = evaluate(settings.query ?? {}, context, 'api.authentication.query')
      const headers = evaluate(settings.headers ?? {}, context, 'api.authentication.headers')
      // Written anew even when nothing is added, as Generic Extractor does
      const signed = withQuery(request, old => replaceInQuery(old, query))
      return {
        request: { ...signed, headers: setHeaders(signed.headers, checkHeaders(headers)) },
        session: 0,
      }
    },
  }
}
