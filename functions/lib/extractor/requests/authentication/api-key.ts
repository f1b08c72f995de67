import type { Json } from '#lib/json/json-value.ts'
import type { ApiKeyAuthentication } from '../../config/token-schema.ts'
import type { EvaluateValues } from '../../values/functions/evaluate-values.ts'
import { toText } from '../../values/php/php-values.ts'
import { replaceInQuery } from '../../values/php/query.ts'
import type { Authenticator } from '../http/authenticator.ts'
import { setHeader } from '../http/outgoing-request.ts'
import type { Masker } from '../masking/masker.ts'
import { withQuery } from './with-query.ts'

/**
 * A key in a header, a query parameter or a cookie (docs/reference/extractor-authentication.md#apikey).
 *
 * ```
 * { "type": "apiKey", "in": "header", "name": "Authorization", "prefix": "Token ", "value": { "attr": "#key" } }
 * GET /orders    Authorization: Token k1
 * ```
 */
export const apiKeyAuthentication = (
  settings: ApiKeyAuthentication,
  attributes: Json,
  evaluate: EvaluateValues,
  masker: Masker,
): Authenticator => {
  const { name, prefix = '' } = settings
  const { value } = evaluate({ value: settings.value }, { attr: attributes }, 'api.authentication')
  const key = toText(value)
  masker.add(key)
  const text = prefix + key
  return {
    sign: async request => {
      if (settings.in === 'query')
        return { request: withQuery(request, old => replaceInQuery(old, { [name]: text })), session: 0 }
      const headers =
        settings.in === 'header'
          ? setHeader(request.headers, name, text)
          : setHeader(request.headers, 'Cookie', `${name}=${text}`)
      return { request: { ...request, headers }, session: 0 }
    },
  }
}
