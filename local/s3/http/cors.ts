import type { HttpRequest } from './s3-request.ts'

/** What pages of other origins may do with a bucket that answers browsers. Whose page it is says nothing: the signature decides. */
const methods = ['GET', 'HEAD', 'PUT', 'POST']

/**
 * What a page asks, in advance by its browser or itself, and what the reply says so that the browser gives it to the page:
 * nothing where the page may not ask. `undefined` for a request that no page sent.
 */
export const readPageRequest = (
  { method, headers }: Pick<HttpRequest, 'method' | 'headers'>,
  { answersBrowsers = false }: { answersBrowsers?: boolean },
) => {
  if (headers['origin'] === undefined) return undefined
  const wanted = method === 'OPTIONS' ? headers['access-control-request-method'] : undefined
  const isPreflight = wanted !== undefined
  if (!answersBrowsers || !methods.includes(wanted ?? method)) return { isPreflight, shared: undefined }
  return {
    isPreflight,
    shared: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': headers['access-control-request-headers'],
      'access-control-expose-headers': 'ETag',
      'access-control-max-age': '3600',
      vary: 'Access-Control-Request-Headers, Access-Control-Request-Method',
    },
  }
}
