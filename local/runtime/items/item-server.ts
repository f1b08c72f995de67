import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import type { DurableFiles } from '../../durable/durable-files.ts'
import {
  type ConnectionLimits,
  createLimitedServer,
  usualLimits,
  wholeRequestTimeout,
} from '../../http/limited-server.ts'
import { closeServer, listen } from '../../http/listening.ts'
import type { Authenticate, Caller } from '../control/authenticate.ts'
import { readRequest } from '../control/aws-json-server.ts'
import { ServiceError } from '../control/service-error.ts'
import { arn } from '../resources/resource-type.ts'
import { createDynalite, type Reply } from './dynalite.ts'
import { ItemStore } from './item-store.ts'

interface ItemServerOptions {
  /** Folder of the database. */
  readonly folder: string
  readonly files: DurableFiles
  readonly authenticate: Authenticate
  readonly isAllowed: (
    caller: Caller,
    action: string,
    resource: string,
    context: { 'dynamodb:leadingkeys': readonly string[] },
  ) => boolean
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

  const partitionKeyOf = createPartitionKeys(dynalite.run)
  const answer = async (request: IncomingMessage): Promise<Reply> => {
    const body = await readRequest(request, largestRequestBytes)
    const caller = authenticate(request, body, 'dynamodb')
    const operation = operationOf(request)
    const input = parseInput(body)
    for (const access of await accessesOf(input, partitionKeyOf))
      checkRights(caller, operation, access, isAllowed)
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
      await closeServer(server)
      await dynalite.close()
    },
  }
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

const attributes = z.record(z.string(), z.record(z.string(), z.unknown()))

const bodySchema = z.looseObject({
  TableName: z.string().optional(),
  Key: z.unknown().optional(),
  Item: z.unknown().optional(),
  RequestItems: z.record(z.string(), z.unknown()).optional(),
})

const batchedWrites = z
  .array(
    z.union([
      z.object({ PutRequest: z.object({ Item: attributes }) }).transform(({ PutRequest }) => PutRequest.Item),
      z
        .object({ DeleteRequest: z.object({ Key: attributes }) })
        .transform(({ DeleteRequest }) => DeleteRequest.Key),
    ]),
  )
  .catch([])

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

/** What a request does in one table, and the partition keys of the items that it names or writes. */
interface TableAccess {
  readonly resource: string
  readonly leadingKeys: readonly string[]
}

const accessesOf = async (
  { TableName, Key, Item, RequestItems }: Input,
  partitionKeyOf: (table: string) => Promise<string>,
): Promise<TableAccess[]> => {
  const accessOf = async (table: string, items: readonly z.infer<typeof attributes>[]) => {
    const name = items.length === 0 ? '' : await partitionKeyOf(table)
    const keys = items.map(item => Object.values(item[name] ?? {})[0])
    return { resource: tableArn(table), leadingKeys: keys.map(String) }
  }
  if (RequestItems)
    return Promise.all(
      Object.entries(RequestItems).map(([table, given]) => accessOf(table, batchedWrites.parse(given))),
    )
  if (TableName === undefined) return [{ resource: '*', leadingKeys: [] }]
  // What is not one at all is refused by the operation.
  const { data } = attributes.safeParse(Item ?? Key)
  const written = data === undefined ? [] : [data]
  return [await accessOf(TableName, written)]
}

const described = z.object({
  Table: z.object({ KeySchema: z.array(z.object({ AttributeName: z.string(), KeyType: z.string() })) }),
})

/** Empty for a table that is not there: the operation says so. */
const createPartitionKeys = (run: (operation: string, input: object) => Promise<Reply>) => {
  const known = new Map<string, string>()
  return async (table: string): Promise<string> => {
    const kept = known.get(table)
    if (kept !== undefined) return kept
    const { data } = described.safeParse((await run('DescribeTable', { TableName: table })).body)
    const name = data?.Table.KeySchema.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName
    if (name !== undefined) known.set(table, name)
    return name ?? ''
  }
}

const checkRights = (
  caller: Caller,
  operation: string,
  { resource, leadingKeys }: TableAccess,
  isAllowed: ItemServerOptions['isAllowed'],
): void => {
  if (isAllowed(caller, `dynamodb:${operation}`, resource, { 'dynamodb:leadingkeys': leadingKeys })) return
  throw new ServiceError(
    'AccessDeniedException',
    `User: ${caller.roleArn} is not authorized to perform: dynamodb:${operation} on resource: ${resource}`,
  )
}

const tableArn = (name: string) => (name.startsWith('arn:') ? name : arn('dynamodb', `table/${name}`))

/**
 * Does one operation of DynamoDB for this process itself, without HTTP and without a signature. Error: named as DynamoDB
 * names it.
 */
export type ItemRequest = (operation: string, input: object) => Promise<unknown>

const refusal = z.object({ __type: z.string(), message: z.string().default('') })

const createItemRequest =
  (run: (operation: string, input: object) => Promise<Reply>): ItemRequest =>
  async (operation, input) => {
    // A copy without what is undefined, as it would arrive in a request.
    const { status, body } = await run(operation, JSON.parse(JSON.stringify(input)))
    if (status === 200) return body
    const { __type, message } = refusal.parse(body)
    throw Object.assign(new Error(message || `${operation} answered ${status}`), {
      name: __type.replace(/^.*#/, ''),
    })
  }
