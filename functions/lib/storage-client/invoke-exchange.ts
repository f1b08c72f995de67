import type { InvokeCommandOutput, LambdaClient } from '@aws-sdk/client-lambda'
import * as z from 'zod/mini'
import type { Exchange, Reply } from './exchange.ts'

type Invoke = (
  event: object,
  timeoutSeconds: number,
) => Promise<Pick<InvokeCommandOutput, 'FunctionError' | 'Payload'>>

/** Lambda Developer Guide, "Invoking a Lambda function using an Amazon API Gateway endpoint", payload format 2.0. */
const gatewayResult = z.object({
  statusCode: z.number(),
  headers: z._default(z.record(z.string(), z.string()), {}),
  body: z._default(z.string(), ''),
  isBase64Encoded: z._default(z.boolean(), false),
})

/**
 * Sends requests to the function behind the API, without its address: from a private network there is a way to Lambda, by
 * an endpoint, and none to an HTTP API (docs/deploy.md). The function gets the event that the gateway would make.
 */
export const createInvokeExchange =
  (functionName: string, invoke: Invoke = invokeBySdk(functionName)) =>
  async ({ url, method, headers, body, timeoutSeconds }: Exchange): Promise<Reply> => {
    const { host, hostname, pathname, protocol, search } = new URL(url)
    const path = decodeURIComponent(pathname)
    const named = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
    const { FunctionError, Payload = new Uint8Array() } = await invoke(
      {
        version: '2.0',
        routeKey: '$default',
        rawPath: path,
        rawQueryString: search.slice(1),
        headers: { ...named, host, 'x-forwarded-proto': protocol.slice(0, -1) },
        requestContext: { domainName: hostname, http: { method, path } },
        ...(body !== undefined && { body: Buffer.from(body).toString('base64'), isBase64Encoded: true }),
      },
      timeoutSeconds,
    )
    // As the gateway says of a function that failed.
    if (FunctionError !== undefined) return { status: 500, headers: {}, text: '' }
    const result = z.parse(gatewayResult, JSON.parse(Buffer.from(Payload).toString('utf8')))
    const text = result.isBase64Encoded ? Buffer.from(result.body, 'base64').toString('utf8') : result.body
    return { status: result.statusCode, headers: result.headers, text }
  }

/** The client is loaded with the first request: most stacks have no private network. Whoever sends a request retries it. */
const invokeBySdk = (functionName: string): Invoke => {
  let client: LambdaClient | undefined
  return async (event, timeoutSeconds) => {
    const { InvokeCommand, LambdaClient } = await import('@aws-sdk/client-lambda')
    client ??= new LambdaClient({ maxAttempts: 1 })
    const command = new InvokeCommand({
      FunctionName: functionName,
      Payload: Buffer.from(JSON.stringify(event)),
    })
    return client.send(command, { abortSignal: AbortSignal.timeout(timeoutSeconds * 1000) })
  }
}
