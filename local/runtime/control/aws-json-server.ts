import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { z } from 'zod'
import { isOutOfSpace, OUT_OF_SPACE } from '#lib/errors/out-of-space.ts'
import { readWhole } from '#lib/read-whole.ts'
import {
  type ConnectionLimits,
  createLimitedServer,
  usualLimits,
  wholeRequestTimeout,
} from '../../http/limited-server.ts'
import { closeServer, listen } from '../../http/listening.ts'
import { Quotas } from '../../http/quotas.ts'
import { InvocationError } from '../lambda/function-error.ts'
import type { Authenticate, Caller } from './authenticate.ts'
import { ServiceError } from './service-error.ts'

/** One operation of a service: input as JSON, output as JSON. */
interface Operation {
  /** `states:StartExecution`, the IAM action that a caller's role must allow. */
  readonly action: string
  /** ARN of the resource of the call, or `*` when it has none. */
  readonly resource: (input: unknown) => string
  readonly run: (input: unknown, caller: Caller) => Promise<unknown> | unknown
}

/** An operation with its input read by a schema. An input that does not fit is a `ValidationException`; SQS calls it otherwise. */
export const operation = <Input>(given: {
  action: string
  input: z.ZodType<Input>
  resource: (input: Input) => string
  run: (input: Input, caller: Caller) => Promise<unknown> | unknown
}): Operation => {
  const read = (value: unknown): Input => {
    const parsed = given.input.safeParse(value)
    if (parsed.success) return parsed.data
    const code = given.action.startsWith('sqs:') ? 'InvalidParameterValue' : 'ValidationException'
    throw new ServiceError(code, z.prettifyError(parsed.error))
  }
  return {
    action: given.action,
    resource: value => given.resource(read(value)),
    run: (value, caller) => given.run(read(value), caller),
  }
}

/** Operations by `X-Amz-Target`: `AWSStepFunctions.StartExecution`. */
export type Operations = Readonly<Record<string, Operation>>

interface ControlServerOptions {
  readonly authenticate: Authenticate
  /** Whether the caller's role allows the call. */
  readonly isAllowed: (caller: Caller, action: string, resource: string) => boolean
  readonly log: (message: string) => void
  readonly limits?: ConnectionLimits
  /** Default: those of an account. */
  readonly quotas?: Quotas
}

const largestRequestBytes = 8 * 1024 * 1024

/**
 * The services that speak AWS JSON (Step Functions, SQS, Secrets Manager, KMS, EventBridge) at one address, and
 * Lambda's invocations.
 *
 * `serve` adds operations once the resources they need exist. Any other call is refused by name
 * (`UnknownOperationException`).
 */
export class ControlServer {
  readonly #options: ControlServerOptions
  readonly #server: Server
  readonly #quotas: Quotas
  #operations: Operations = {}

  constructor(options: ControlServerOptions) {
    this.#options = options
    const { limits = usualLimits, quotas = new Quotas() } = options
    this.#quotas = quotas
    this.#server = createLimitedServer((request, response) => void this.#handle(request, response), limits, {
      requestTimeout: wholeRequestTimeout(limits),
    })
  }

  serve(operations: Operations): void {
    this.#operations = { ...this.#operations, ...operations }
  }

  /** Listens on a free port of the loopback interface; the result is the base URL. */
  async listen(): Promise<string> {
    return `http://127.0.0.1:${await listen(this.#server)}`
  }

  close(): Promise<void> {
    return closeServer(this.#server)
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await readRequest(request, largestRequestBytes)
      const invocationType = request.headers['x-amz-invocation-type'] ?? 'RequestResponse'
      const event = (): unknown => (body.length === 0 ? {} : JSON.parse(body.toString('utf8')))
      const invocation =
        invocationType === 'RequestResponse'
          ? readInvocation(request.method ?? '', request.url ?? '', event)
          : undefined
      const target = invocation?.target ?? String(request.headers['x-amz-target'] ?? '')
      const found = Object.hasOwn(this.#operations, target) ? this.#operations[target] : undefined
      const caller = this.#options.authenticate(request, body, found && serviceOf(found))
      if (!found)
        throw new ServiceError(
          'UnknownOperationException',
          `The one-machine cloud does not offer ${target || `${request.method} ${request.url}`}`,
        )
      const input = invocation === undefined ? event() : invocation.input()
      const resource = found.resource(input)
      if (!this.#options.isAllowed(caller, found.action, resource))
        throw new ServiceError(
          'AccessDeniedException',
          `${caller.roleArn ?? 'The caller'} is not authorized to perform: ${found.action} on resource: ${resource}`,
        )
      if (!this.#quotas.admits(found.action)) throw new ServiceError('ThrottlingException', 'Rate exceeded')
      reply(response, 200, await found.run(input, caller), request.headers['content-type'])
    } catch (error) {
      this.#fail(request, response, error)
    }
  }

  #fail(request: IncomingMessage, response: ServerResponse, thrown: unknown): void {
    const error = isOutOfSpace(thrown) ? diskIsFull() : thrown
    if (error instanceof InvocationError) {
      // Lambda Developer Guide, "Error handling": the invocation went well, the function did not.
      reply(response, 200, error.details, 'application/json', { 'x-amz-function-error': 'Unhandled' })
    } else if (error instanceof ServiceError) {
      const body = { __type: error.name, message: error.message, Message: error.message }
      reply(response, error.status, body, request.headers['content-type'], { 'x-amzn-errortype': error.name })
    } else if (error instanceof SyntaxError) {
      reply(response, 400, { __type: 'SerializationException' }, request.headers['content-type'])
    } else {
      this.#options.log(`${String(request.headers['x-amz-target'])} failed: ${String(error)}`)
      reply(response, 500, { __type: 'InternalFailure' }, request.headers['content-type'])
    }
  }
}

const diskIsFull = (): ServiceError => new ServiceError('ServiceUnavailable', OUT_OF_SPACE, 503)

/** What a signature's scope names: `states` of `states:StartExecution`. */
const serviceOf = ({ action }: Operation): string => action.split(':', 1)[0] ?? ''

/** Reads a request's body into memory. More than `maxBytes` is a `RequestEntityTooLarge`. */
/** The body of a call to one of the JSON services. */
const readRequest = (request: IncomingMessage, most: number): Promise<Buffer> =>
  readWhole(request, most, () => new ServiceError('RequestEntityTooLarge', 'The request is too large', 413))

const reply = (
  response: ServerResponse,
  status: number,
  body: unknown,
  contentType = 'application/x-amz-json-1.0',
  headers: Record<string, string> = {},
): void => {
  // The caller may be gone: its container was ended during the call.
  if (response.destroyed) return
  response.writeHead(status, {
    'content-type': contentType,
    'x-amzn-requestid': randomUUID(),
    ...headers,
  })
  response.end(JSON.stringify(body ?? {}))
}

const INVOCATION_PATH = /^\/2015-03-31\/functions\/([\w-]{1,64})\/invocations$/

/** Lambda speaks REST. An invocation, from its path, in the form of the other services: name of the function and event. */
const readInvocation = (
  method: string,
  url: string,
  event: () => unknown,
): { target: string; input: () => unknown } | undefined => {
  const [, name] = (method === 'POST' && INVOCATION_PATH.exec(url)) || []
  return name === undefined
    ? undefined
    : { target: 'AWSLambda.Invoke', input: () => ({ name, event: event() }) }
}
