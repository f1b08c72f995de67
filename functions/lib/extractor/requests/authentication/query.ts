import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import type { EvaluateValues } from '../../values/functions/evaluate-values.ts'
import { replaceInQuery } from '../../values/php/query.ts'
import type { Authenticator } from '../http/authenticator.ts'
import { requestContext } from './request-context.ts'
import { withQuery } from './with-query.ts'

/**
 * Query parameters worked out for each request, with contexts `attr`, `query` and `request`
 * (docs/reference/extractor-authentication.md#query).
 *
 * ```
 * { "type": "query", "query": { "key": { "attr": "#apiKey" } } }
 * GET /orders?key=k1
 * ```
 */
export const queryAuthentication = (
  query: Readonly<Record<string, unknown>> | undefined,
  attributes: Json,
  evaluate: EvaluateValues,
): Authenticator => {
  if (query === undefined || Object.keys(query).length === 0) {
    throw new UserError(
      'extractor.authentication.query',
      `The query authentication method requires 'query' configuration in 'authentication' section.`,
    )
  }
  return {
    sign: async request => {
      const values = evaluate(
        query,
        { attr: attributes, ...requestContext(request) },
        'api.authentication.query',
      )
      return { request: withQuery(request, old => replaceInQuery(old, values)), session: 0 }
    },
  }
}
