import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
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
import { createDynalite } from './dynalite.ts'
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
  close(): Promise<void>
}

const largestRequestBytes = 16 * 1024 * 1024 + 1024

/**
 * DynamoDB on one machine: dynalite on disk, behind a server of our own.
 *
 * Ours reads each request to its end first and checks its signature and its role's rights. dynalite checks neither, and
 * it throws on a connection that breaks off in the middle, as one does when a function is cut off.
 */
export const startItemServer = async ({
  folder,
  files,
  authenticate,
  isAllowed,
  limits = usualLimits,
}: ItemServerOptions): Promise<ItemServer> => {
  await files.makeFolder(folder)
  const { server: inner, store } = createDynalite(folder)
  await ItemStore.open(store, folder, files)
  // Only its request listener is used. Closing it closes the database, and that asks for a server that listens; who
  // connects to it would go round the checks below, so nobody may.
  inner.on('connection', socket => socket.destroy())
  await listen(inner)

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const body = await readBody(request, largestRequestBytes)
      checkRights(authenticate(request, body, 'dynamodb'), request, body, isAllowed)
      inner.emit('request', replay(request, body), response)
    } catch (error) {
      if (response.destroyed) return
      const { status, name, message } =
        error instanceof ServiceError ? error : new ServiceError('InternalFailure', String(error), 500)
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' })
      response.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message }))
    }
  }
  const outer = createLimitedServer((request, response) => void handle(request, response), limits, {
    requestTimeout: wholeRequestTimeout(limits),
  })
  const port = await listen(outer)
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = new Promise<void>(resolve => outer.close(() => resolve()))
      outer.closeAllConnections()
      await closed
      await new Promise<void>(resolve => inner.close(() => resolve()))
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

/** The request once more, with its whole body at hand. dynalite reads these members and the stream. */
const replay = (request: IncomingMessage, body: Buffer): IncomingMessage =>
  Object.assign(Readable.from(body.length > 0 ? [body] : []), {
    method: request.method,
    url: request.url,
    headers: request.headers,
  }) as unknown as IncomingMessage

const bodySchema = z.looseObject({
  TableName: z.string().optional(),
  IndexName: z.string().optional(),
  RequestItems: z.record(z.string(), z.unknown()).optional(),
})

const checkRights = (
  caller: Caller,
  request: IncomingMessage,
  body: Buffer,
  isAllowed: ItemServerOptions['isAllowed'],
): void => {
  const operation = String(request.headers['x-amz-target'] ?? '').split('.')[1] ?? ''
  const parsed = bodySchema.safeParse(JSON.parse(body.toString('utf8') || '{}'))
  if (!parsed.success) throw new ServiceError('SerializationException', 'The request is not valid')
  const { TableName, IndexName, RequestItems } = parsed.data
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
