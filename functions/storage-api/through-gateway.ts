import type { App } from './app.ts'
import { answerGatewayEvent, type GatewayEvent, MAX_GATEWAY_BODY_LENGTH } from './gateway.ts'

/**
 * The app as clients see it behind the gateway: each request becomes the gateway's event and each reply comes from its
 * result, so that the same limits hold, by the same code.
 */
export const throughGateway = (app: App): App => ({
  fetch: async request => {
    const protocol = request.url.startsWith('https:') ? 'https' : 'http'
    const event = await toEvent(request)
    const { statusCode, headers, body, isBase64Encoded } = await answerGatewayEvent(app, event, { protocol })
    const hasBody = statusCode !== 204 && statusCode !== 304 && request.method !== 'HEAD'
    return new Response(hasBody ? Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') : null, {
      status: statusCode,
      headers,
    })
  },
})

const toEvent = async (request: Request): Promise<GatewayEvent> => {
  const { host, pathname, search } = new URL(request.url)
  const headers = Object.fromEntries(request.headers)
  const isText = TEXT.test(headers['content-type'] ?? '')
  const isTooLong = Number(headers['content-length'] ?? 0) > MAX_GATEWAY_BODY_LENGTH
  const body = request.body && !isTooLong ? await readStart(request.body) : undefined
  return {
    rawPath: pathname,
    rawQueryString: search.replace(/^\?/, ''),
    headers,
    ...(body !== undefined && { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: !isText,
    requestContext: { domainName: host, http: { method: request.method } },
  }
}

/** All other bodies come in base64 (API Gateway Developer Guide, "Working with binary media types for HTTP APIs"). */
const TEXT = /^(text\/|application\/(json|javascript|xml))/

/** The body, or so much of it that it is seen to be too large. */
const readStart = async (body: ReadableStream<Uint8Array>): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  const reader = body.getReader()
  try {
    for (let length = 0; length <= MAX_GATEWAY_BODY_LENGTH; ) {
      const { done, value } = await reader.read()
      if (done) break
      chunks.push(value)
      length += value.length
    }
  } finally {
    // Not cancelled: that would end the connection before its reply.
    reader.releaseLock()
  }
  return Buffer.concat(chunks)
}
