import type { ServerResponse } from 'node:http'
import * as z from 'zod/mini'
import { RefusedByGateway } from './read-gateway-event.ts'

/** Lambda takes 6 MB and 100 bytes of result, as bytes of JSON. */
const MAX_RESULT_BYTES = 6_291_556

/** What a function answers, payload format 2.0. */
const gatewayResult = z.strictObject({
  statusCode: z.int().check(z.minimum(100), z.maximum(599)),
  headers: z._default(z.record(z.string(), z.string()), {}),
  cookies: z._default(z.array(z.string()), []),
  body: z._default(z.string(), ''),
  isBase64Encoded: z._default(z.boolean(), false),
})

/** Answers a request with the result of a function, as API Gateway does: each cookie is a header of its own. */
export const sendGatewayResult = (result: unknown, response: ServerResponse): void => {
  const json = JSON.stringify(result) ?? 'null'
  if (Buffer.byteLength(json) > MAX_RESULT_BYTES) throw badResult()
  const read = gatewayResult.safeParse(JSON.parse(json))
  if (!read.success) throw badResult()
  const { statusCode, headers, cookies, body, isBase64Encoded } = read.data
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (cookies.length > 0) response.setHeader('set-cookie', cookies)
  response.writeHead(statusCode)
  response.end(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'))
}

const badResult = () => new RefusedByGateway(500, 'Internal Server Error')
