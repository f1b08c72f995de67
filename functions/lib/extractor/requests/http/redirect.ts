import { UserError } from '#lib/errors/errors.ts'
import { firstHeader, type HttpResponse } from '../answers/http-response.ts'
import type { OutgoingRequest } from './outgoing-request.ts'
import { resolveUrl } from './resolve-url.ts'

export const maxRedirects = 5

/** Where a redirect leads. Headers are left to whoever knows which of them may go there. */
export type RedirectTarget = Pick<OutgoingRequest, 'method' | 'url' | 'body'>

const redirects = new Set([301, 302, 303, 307, 308])

/**
 * The request that a redirect asks for, or `undefined` when the response is none. 301, 302 and 303 turn a POST into a
 * GET without body, as browsers do; 307 and 308 repeat it (RFC 9110, 15.4).
 */
export const followRedirect = (
  request: OutgoingRequest,
  response: HttpResponse,
): RedirectTarget | undefined => {
  const location = firstHeader(response.headers, 'location')
  if (!redirects.has(response.status) || location === undefined) return undefined
  // Servers write letters as they are; headers come with a character for each byte
  const url = resolveUrl(request.url.href, Buffer.from(location, 'latin1').toString())
  if (
    request.url.origin.startsWith('https:') &&
    url.origin.startsWith('http:') &&
    request.body !== undefined
  ) {
    throw new UserError(
      'extractor.request.redirects',
      'A redirect would send the request body without encryption',
    )
  }
  const repeats = response.status >= 307 || request.method === 'GET'
  return repeats
    ? { method: request.method, url, body: request.body }
    : { method: 'GET', url, body: undefined }
}
