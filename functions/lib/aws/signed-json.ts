import type { IncomingMessage } from 'node:http'
import aws4 from 'aws4'
import * as z from 'zod/mini'
import { asTransient } from '../errors/as-transient.ts'
import { TransientError } from '../errors/errors.ts'
import { keptConnections } from '../kept-connections.ts'
import { pauseRandomly } from '../pause-randomly.ts'
import { readEnv } from './env.ts'

/** A service of AWS whose requests and replies are JSON ("AWS JSON 1.0 and 1.1 protocols" of Smithy). */
interface JsonService {
  /** In signatures and addresses. */
  name: 'kms' | 'secretsmanager' | 'states'
  /** Before the operation in the header `X-Amz-Target`. */
  target: string
  jsonVersion: '1.0' | '1.1'
  /** As the SDK names it in `AWS_ENDPOINT_URL_<…>`. */
  endpointName: string
}

export interface ServiceSettings {
  endpoint: string
  region: string
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string | undefined }
}

/** Sends one operation and resolves to its reply. */
export type JsonRequest = (operation: string, input: object) => Promise<unknown>

const ATTEMPTS = 3
const PAUSES_MS = { first: 100, longest: 200 }
const LONGEST_SILENCE_MS = 10_000

/**
 * One signed request per operation: where few operations are used, the SDK's client would be most of a small function, and
 * takes four times the processor time. What may pass (throttling, 5xx, a broken connection) is tried three times, as the
 * SDK does.
 *
 * Default settings: credentials, region and `AWS_ENDPOINT_URL` of the environment, read anew for each request: a container
 * may outlive its credentials.
 * Error: one that is named as the service names it, with the status in `$metadata` as the SDK has it; of the network, with
 * its `code`. Never with a part of a reply: that may be half of a secret.
 */
export const createJsonRequest = (
  { name, target, jsonVersion, endpointName }: JsonService,
  given?: ServiceSettings,
): JsonRequest => {
  const attempt = async (operation: string, body: string): Promise<unknown> => {
    const { endpoint, region, credentials } = given ?? settingsOf({ name, endpointName })
    const url = new URL(endpoint)
    const signed = aws4.sign(
      {
        service: name,
        region,
        method: 'POST',
        path: url.pathname,
        headers: {
          Host: url.host,
          'Content-Type': `application/x-amz-json-${jsonVersion}`,
          'X-Amz-Target': `${target}.${operation}`,
        },
        body,
      },
      withoutUnset(credentials),
    )
    const headers = signed.headers as Record<string, string> // Those above, and what the signature adds.
    const { status, text } = await postJson({ url, headers, body, timeoutMs: LONGEST_SILENCE_MS })
    const reply = parseJson(text)
    if (status === 200 && reply !== undefined) return reply
    throw refusalOf(`${name} ${operation}`, status, reply)
  }

  return async (operation, input) => {
    const body = JSON.stringify(input)
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt(operation, body)
      } catch (error) {
        if (attempts === ATTEMPTS || !(asTransient(error) instanceof TransientError)) throw error
        await pauseRandomly(attempts - 1, PAUSES_MS)
      }
    }
  }
}

const settingsOf = ({ name, endpointName }: Pick<JsonService, 'name' | 'endpointName'>): ServiceSettings => {
  const env = readEnv(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION'])
  const region = env.AWS_REGION
  return {
    endpoint:
      process.env[`AWS_ENDPOINT_URL_${endpointName}`] ||
      process.env['AWS_ENDPOINT_URL'] ||
      `https://${name}.${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}`,
    region,
    credentials: {
      accessKeyId: env.AWS_ACCESS_KEY_ID,
      secretAccessKey: env.AWS_SECRET_ACCESS_KEY,
      sessionToken: process.env['AWS_SESSION_TOKEN'] || undefined,
    },
  }
}

const withoutUnset = ({ sessionToken, ...keys }: ServiceSettings['credentials']) => ({
  ...keys,
  ...(sessionToken !== undefined && { sessionToken }),
})

const refusal = z.catch(
  z.object({ __type: z.string(), message: z.optional(z.string()), Message: z.optional(z.string()) }),
  { __type: 'UnknownError' },
)

const refusalOf = (request: string, status: number, reply: unknown): Error => {
  const { __type, message, Message } = refusal.parse(reply)
  return Object.assign(new Error(message ?? Message ?? `${request} answered ${status}`), {
    // Some services name their errors with a namespace in front.
    name: __type.replace(/^.*#/, ''),
    $metadata: { httpStatusCode: status },
  })
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** As many as the SDK keeps. */
const connectionFor = keptConnections({ maxSockets: 50 })

interface Post {
  url: URL
  headers: Record<string, string>
  body: string
  /** The other side may be silent for so long. */
  timeoutMs: number
}

interface PostReply {
  status: number
  text: string
}

/**
 * Posts over connections that stay open. Error: that of the network, with its `code`; `ETIMEDOUT` when the other side is
 * silent for too long, `ECONNRESET` when a reply ends too early.
 *
 * A small request costs a fifth of the processor time of one with `fetch`, which builds streams for each.
 */
export const postJson = ({ url, headers, body, timeoutMs }: Post): Promise<PostReply> =>
  new Promise((resolve, reject) => {
    const { send, agent } = connectionFor(url.protocol)
    const request = send(url, { method: 'POST', headers, agent, timeout: timeoutMs }, response => {
      readText(response).then(text => resolve({ status: response.statusCode ?? 0, text }), reject)
    })
    request.on('error', reject)
    request.on('timeout', () => request.destroy(silence(url, timeoutMs)))
    request.end(body)
  })

const readText = (response: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    response.on('error', reject)
  })

const silence = ({ host }: URL, timeoutMs: number): Error =>
  Object.assign(new Error(`${host} did not answer within ${timeoutMs} ms`), { code: 'ETIMEDOUT' })
