import { formEncode, urlDecode } from '../php/form-encoding.ts'
import type { Json } from '../tables/json-value.ts'

/**
 * An endpoint with its query. Params replace same-named ones of the endpoint's own query where they stand, new ones
 * follow; names `""` and `"0"` are dropped. Without params the endpoint goes out verbatim.
 */
export const buildEndpoint = (
  endpoint: string,
  params: Readonly<Record<string, Json>> | readonly Json[],
  lists?: 'indexed' | 'repeat',
): string => {
  if (Object.keys(params).length === 0) return endpoint
  const at = endpoint.indexOf('?')
  const path = at < 0 ? endpoint : endpoint.slice(0, at)
  const query: Record<string, Json> = {
    ...(at < 0 ? {} : parseFlat(endpoint.slice(at + 1))),
    ...byName(params),
  }
  delete query['']
  delete query['0']
  const text = formEncode(query, lists)
  return text === '' ? path : `${path}?${text}`
}

/** A list has its positions as names. */
const byName = (params: Readonly<Record<string, Json>> | readonly Json[]): Record<string, Json> =>
  Object.fromEntries(Object.entries(params))

/** Names are taken as they stand: `a[]` is not a list here, and the last of equal names wins. */
const parseFlat = (query: string): Record<string, string> => {
  const result: Record<string, string> = Object.create(null) // a parameter may be named `__proto__`
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    result[urlDecode(at < 0 ? pair : pair.slice(0, at))] = at < 0 ? '' : urlDecode(pair.slice(at + 1))
  }
  return result
}
