import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { json } from 'node:stream/consumers'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'

type Item = Record<string, unknown>

/** The items of one machine beside it, for a script that scans and writes them as DynamoDB's. */
export const serveScans = async (file: string) => {
  const database = new DatabaseSync(file)
  const items = (table: string): Item[] =>
    database
      .prepare('SELECT attributes FROM items WHERE "table" = ? ORDER BY pk, sk')
      .all(table)
      .map(({ attributes }) => JSON.parse(String(attributes)))
  const write = (table: string, all: readonly Item[]): void => {
    const put = database.prepare('INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?, ?)')
    for (const item of all)
      put.run(
        table,
        String(item['pk']),
        String(item['sk']),
        JSON.stringify(item),
        Number(item['expiresAt']) || null,
      )
  }
  const remove = (table: string, keys: readonly Item[]): void => {
    const gone = database.prepare('DELETE FROM items WHERE "table" = ? AND pk = ? AND sk = ?')
    for (const { pk, sk } of keys) gone.run(table, String(pk), String(sk))
  }
  const answer = (operation: string, { TableName, RequestItems = {} }: Asked): object | undefined => {
    if (operation === 'Scan') {
      const found = items(TableName ?? '')
      return found.length === 0 ? undefined : { Items: found.map(item => marshall(item)) }
    }
    if (operation !== 'BatchWriteItem') throw new Error(`${operation} is not expected`)
    for (const [table, writes] of Object.entries(RequestItems)) {
      write(
        table,
        writes.flatMap(({ PutRequest }) => (PutRequest ? [unmarshall(PutRequest.Item)] : [])),
      )
      remove(
        table,
        writes.flatMap(({ DeleteRequest }) => (DeleteRequest ? [unmarshall(DeleteRequest.Key)] : [])),
      )
    }
    return {}
  }
  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']).replace(/.*\./, '')
    const reply = answer(operation, (await json(request)) as Asked)
    response.writeHead(reply ? 200 : 400, { 'content-type': 'application/x-amz-json-1.0' })
    response.end(JSON.stringify(reply ?? { __type: 'ResourceNotFoundException', message: 'No such table' }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // It listens on a port.
  return {
    endpoint: `http://127.0.0.1:${port}`,
    items,
    write,
    delete: remove,
    close: async () => {
      database.close()
      await new Promise(resolve => {
        server.close(resolve)
        server.closeAllConnections()
      })
    },
  }
}

export type ScannedItems = Awaited<ReturnType<typeof serveScans>>

type Stored = Parameters<typeof unmarshall>[0]

interface Asked {
  TableName?: string
  RequestItems?: Record<string, { PutRequest?: { Item: Stored }; DeleteRequest?: { Key: Stored } }[]>
}
