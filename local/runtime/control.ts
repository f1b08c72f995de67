import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { z } from 'zod'
import type { Machines } from '#lib/cloud/machines.ts'
import type { ReadSecret } from '#lib/cloud/secrets.ts'
import { digestBytes } from '#lib/digests.ts'
import { isOutOfSpace, OUT_OF_SPACE } from '#lib/errors/out-of-space.ts'
import { readWhole } from '#lib/read-whole.ts'
import {
  type ConnectionLimits,
  createLimitedServer,
  usualLimits,
  wholeRequestTimeout,
} from '../http/limited-server.ts'
import { ServiceError } from './service-error.ts'

/** What the commands of its owner ask of a running cloud. */
export interface Control {
  readonly machines: Machines
  readonly readSecret: ReadSecret
  /** Makes a value the present one of a secret. */
  readonly putSecret: (secretArn: string, value: string) => Promise<void>
  /** What an execution called since the cloud started. */
  readonly callsOf: (executionArn: string) => Promise<readonly string[]>
}

const MOST_BYTES = 1024 * 1024

const named = z.object({ machineArn: z.string(), name: z.string() })
const request = z.discriminatedUnion('operation', [
  z.object({ operation: z.literal('start'), given: z.tuple([named.extend({ input: z.unknown() })]) }),
  z.object({
    operation: z.literal('describe'),
    given: z.tuple([z.union([named, z.object({ executionArn: z.string() })])]),
  }),
  z.object({
    operation: z.literal('stop'),
    given: z.tuple([named, z.object({ code: z.string(), message: z.string() })]),
  }),
  z.object({ operation: z.literal('list'), given: z.tuple([z.string(), z.string().optional()]) }),
  z.object({
    operation: z.literal('readSecret'),
    given: z.tuple([z.string(), z.enum(['AWSCURRENT', 'AWSPREVIOUS'])]),
  }),
  z.object({ operation: z.literal('putSecret'), given: z.tuple([z.string(), z.string().min(1)]) }),
  z.object({ operation: z.literal('callsOf'), given: z.tuple([z.string()]) }),
])

export type ControlRequest = z.infer<typeof request>

interface ControlServerOptions {
  readonly secretAccessKey: string
  readonly log: (line: string) => void
  readonly limits?: ConnectionLimits
}

/** One operation a request, as JSON. The secret access key of the account is its bearer token. */
export const controlServer = (
  control: Promise<Control>,
  { secretAccessKey, log, limits = usualLimits }: ControlServerOptions,
): Server => {
  const isOwner = ({ headers }: IncomingMessage): boolean =>
    timingSafeEqual(digestBytes(headers.authorization ?? ''), digestBytes(`Bearer ${secretAccessKey}`))
  const answer = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      if (!isOwner(message)) throw new ServiceError('AccessDenied', 'The key is wrong.', 403)
      const body = await readWhole(message, MOST_BYTES, () => new ServiceError('TooLarge', 'Too large.', 413))
      reply(response, 200, { result: await runOn(await control, body.toString('utf8')) })
    } catch (error) {
      const { name, message: text, status } = refusalOf(error)
      if (status >= 500) log(`A command failed: ${String(error)}`)
      reply(response, status, { name, message: text })
    }
  }
  return createLimitedServer((message, response) => void answer(message, response), limits, {
    requestTimeout: wholeRequestTimeout(limits),
  })
}

const runOn = (control: Control, body: string): Promise<unknown> => {
  const { operation, given } = readRequest(body)
  const { machines, ...others } = control
  const run = { ...machines, ...others }[operation] as (...given: readonly unknown[]) => Promise<unknown>
  return run(...given)
}

const readRequest = (body: string): ControlRequest => {
  try {
    return request.parse(JSON.parse(body))
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error)
    throw new ServiceError('ValidationException', reason)
  }
}

const refusalOf = (error: unknown): { name: string; message: string; status: number } => {
  if (isOutOfSpace(error)) return { name: 'ServiceUnavailable', message: OUT_OF_SPACE, status: 503 }
  if (error instanceof ServiceError) return error
  return { name: 'InternalFailure', message: 'The cloud failed; its log says why.', status: 500 }
}

const reply = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
