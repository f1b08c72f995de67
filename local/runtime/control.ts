import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { deserialize, serialize } from 'node:v8'
import type { Host } from '#lib/cloud/host.ts'
import { digestBytes } from '#lib/digests.ts'
import { isOutOfSpace, OUT_OF_SPACE } from '#lib/errors/out-of-space.ts'
import { readWhole } from '#lib/read-whole.ts'
import {
  type ConnectionLimits,
  createLimitedServer,
  usualLimits,
  wholeRequestTimeout,
} from '../http/limited-server.ts'
import { type Ask, hostOver, type Operations } from './host/by-message.ts'
import { ServiceError } from './service-error.ts'

/** What the commands of its owner ask of a running cloud. */
export interface Control extends Pick<Host, 'machines' | 'readSecret'> {
  /** What an execution called since the cloud started. */
  readonly callsOf: (executionArn: string) => Promise<readonly string[]>
}

const IS_FOR_OWNER = /^(machines\.\w+|readSecret|callsOf)$/

const MOST_BYTES = 1024 * 1024

interface ControlServerOptions {
  readonly secretAccessKey: string
  readonly log: (line: string) => void
  readonly limits?: ConnectionLimits
}

/** One operation a request, in the form in which processes send values. The secret access key of the account is its bearer token. */
export const controlServer = (
  operations: Promise<Operations>,
  { secretAccessKey, log, limits = usualLimits }: ControlServerOptions,
): Server => {
  const isOwner = ({ headers }: IncomingMessage): boolean =>
    timingSafeEqual(digestBytes(headers.authorization ?? ''), digestBytes(`Bearer ${secretAccessKey}`))
  const run = async (message: IncomingMessage): Promise<unknown> => {
    if (!isOwner(message)) throw new ServiceError('AccessDenied', 'The key is wrong.', 403)
    const body = await readWhole(message, MOST_BYTES, () => new ServiceError('TooLarge', 'Too large.', 413))
    const [operation, ...given] = readAsked(body)
    const found = IS_FOR_OWNER.test(operation) ? (await operations)[operation] : undefined
    if (!found) throw new ServiceError('ValidationException', `There is no operation ${operation}.`)
    return found(...given)
  }
  const answer = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      response.end(serialize(await run(message)))
    } catch (error) {
      const { name, message: text, status } = refusalOf(error)
      if (status >= 500) log(`A command failed: ${String(error)}`)
      response.writeHead(status).end(serialize({ name, message: text }))
    }
  }
  return createLimitedServer((message, response) => void answer(message, response), limits, {
    requestTimeout: wholeRequestTimeout(limits),
  })
}

const readAsked = (body: Buffer): [operation: string, ...given: unknown[]] => {
  try {
    const asked: unknown = deserialize(body)
    if (Array.isArray(asked) && typeof asked[0] === 'string') return asked as [string]
  } catch {
    // As below.
  }
  throw new ServiceError('ValidationException', 'The request names no operation.')
}

const refusalOf = (error: unknown): { name: string; message: string; status: number } => {
  if (isOutOfSpace(error)) return { name: 'ServiceUnavailable', message: OUT_OF_SPACE, status: 503 }
  if (error instanceof ServiceError) return error
  return { name: 'InternalFailure', message: 'The cloud failed; its log says why.', status: 500 }
}

/** The same for another process of the owner. Errors have the names that the cloud gave them. */
export const controlOf = ({
  control,
  secretAccessKey,
}: {
  readonly control: string
  readonly secretAccessKey: string
}): Control => {
  const headers = { authorization: `Bearer ${secretAccessKey}` }
  const ask: Ask = async (...asked) => {
    const reply = await fetch(control, { method: 'POST', headers, body: serialize(asked) })
    const answer: unknown = deserialize(Buffer.from(await reply.arrayBuffer()))
    if (!reply.ok) throw Object.assign(new Error(), answer) // With its name and message.
    return answer as never // of this operation
  }
  const { machines, readSecret } = hostOver(ask)
  return { machines, readSecret, callsOf: executionArn => ask('callsOf', executionArn) }
}
