import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { z } from 'zod'
import type { DurableFiles } from '../../durable/durable-files.ts'
import {
  type ConnectionLimits,
  createLimitedServer,
  usualLimits,
  wholeRequestTimeout,
} from '../../http/limited-server.ts'
import type { Authenticate, Caller } from '../control/authenticate.ts'
import { readBody } from '../control/aws-json-server.ts'
import { ServiceError } from '../control/service-error.ts'
import { arn } from '../resources/resource-type.ts'
import { createDynalite, type Reply } from './dynalite.ts'
import { createItemRequest, type ItemRequest } from './item-request.ts'
import { ItemStore } from './item-store.ts'

interface ItemServerOptions {
  /** Folder of the database. */
  readonly folder: string
  readonly files: DurableFiles
  readonly authenticate: Authenticate
  readonly isAllowed: (caller: Caller, action: string, resource: string) => boolean
  readonly limits?: ConnectionLimits
}

interface ItemServer {
  readonly endpoint: string
  /** For this process itself. */
  readonly request: ItemRequest
  close(): Promise<void>
}

const largestRequestBytes = 16 * 1024 * 1024 + 1024

/**
 * DynamoDB on one machine: dynalite's operations on disk, behind a server of our own, which checks signatures and the
 * rights of roles.
 */
export const startItemServer = async ({
  folder,
  files,
  authenticate,
  isAllowed,
  limits = usualLimits,
}: ItemServerOptions): Promise<ItemServer> => {
  await files.makeFolder(folder)
  const dynalite = createDynalite(folder)
  await ItemStore.open(dynalite.store, folder, files)

  const answer = async (request: IncomingMessage): Promise<Reply> => {
    const body = await readBody(request, largestRequestBytes)
    const caller = authenticate(request, body, 'dynamodb')
    const operation = operationOf(request)
    const input = parseInput(body)
    checkRights(caller, operation, input, isAllowed)
    return dynalite.run(operation, input)
  }
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, body } = await answer(request).catch(failure)
    // The caller may be gone: its container was ended during the call.
    if (response.destroyed) return
    const text = JSON.stringify(body ?? {})
    response.writeHead(status, {
      'content-type': 'application/x-amz-json-1.0',
      'content-length': Buffer.byteLength(text),
      'x-amzn-requestid': randomUUID(),
    })
    response.end(text)
  }
  const server = createLimitedServer((request, response) => void handle(request, response), limits, {
    requestTimeout: wholeRequestTimeout(limits),
  })
  const port = await listen(server)
  return {
    endpoint: `http://127.0.0.1:${port}`,
    request: createItemRequest(dynalite.run),
    close: async () => {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
      await dynalite.close()
    },
  }
}

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('The item server has no port')
  return address.port
}

const failure = (error: unknown): Reply => {
  const { status, name, message } =
    error instanceof ServiceError ? error : new ServiceError('InternalFailure', String(error), 500)
  return { status, body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message } }
}

/** `GetItem`; empty when the request names none of DynamoDB's. */
const operationOf = ({ headers }: IncomingMessage): string => {
  const [api, operation = ''] = String(headers['x-amz-target'] ?? '').split('.')
  return api === 'DynamoDB_20120810' ? operation : ''
}

const bodySchema = z.looseObject({
  TableName: z.string().optional(),
  IndexName: z.string().optional(),
  RequestItems: z.record(z.string(), z.unknown()).optional(),
})

type Input = z.infer<typeof bodySchema>

const parseInput = (body: Buffer): Input => {
  const parsed = bodySchema.safeParse(parseJson(body.toString('utf8') || '{}'))
  if (!parsed.success) throw new ServiceError('SerializationException', 'The request is not valid')
  return parsed.data
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const checkRights = (
  caller: Caller,
  operation: string,
  { TableName, IndexName, RequestItems }: Input,
  isAllowed: ItemServerOptions['isAllowed'],
): void => {
  const resources = RequestItems
    ? Object.keys(RequestItems).map(tableArn)
    : [TableName === undefined ? '*' : tableArn(TableName) + (IndexName ? `/index/${IndexName}` : '')]
  for (const resource of resources)
    if (!isAllowed(caller, `dynamodb:${operation}`, resource))
      throw new ServiceError(
        'AccessDeniedException',
        `User: ${caller.roleArn} is not authorized to perform: dynamodb:${operation} on resource: ${resource}`,
      )
}

const tableArn = (name: string) => (name.startsWith('arn:') ? name : arn('dynamodb', `table/${name}`))
