import { expect, it } from 'vitest'
import { answerGatewayEvent, gatewayEvent } from '#functions/storage-api/gateway.ts'
import { createInvokeExchange } from '#lib/storage-client/invoke-exchange.ts'
import { createStorageClient } from '#lib/storage-client/storage-client.ts'
import { withStorage } from '#support/storage-service.ts'

const service = await withStorage()
const events: { rawPath: string; headers: Record<string, string> }[] = []

/** The client on the function behind the API: there is no address. */
const clientOf = (answer = service.app) =>
  createStorageClient({
    baseUrl: 'https://storage.test',
    token: service.token,
    exchange: createInvokeExchange('storage-api', async given => {
      const event = gatewayEvent.parse(JSON.parse(JSON.stringify(given)))
      events.push(event)
      return { Payload: Buffer.from(JSON.stringify(await answerGatewayEvent(answer, event))) as never } // The SDK adds a method.
    }),
  })

it('the client works on the function as on the address: bodies, queries, signs in paths, refusals', async () => {
  const storage = clientOf()
  const file = await storage.prepareFile({ name: 'größe 100 %.csv', sizeBytes: 1, tags: ['a b'] })
  expect(await storage.file(file.id)).toMatchObject({ id: file.id, isSliced: false })
  await expect(storage.table('in.c-main.no%2Fthing é')).rejects.toMatchObject({
    code: 'storage.tables.notFound',
  })
  expect(events.at(-1)).toMatchObject({
    headers: { host: 'storage.test', 'x-storageapi-token': service.token },
    requestContext: { domainName: 'storage.test', http: { method: 'GET' } },
  })
})

it('a function that failed is tried again later, as an address that answers 500', async () => {
  const storage = createStorageClient({
    baseUrl: 'https://storage.test',
    token: service.token,
    exchange: createInvokeExchange('storage-api', async () => ({ FunctionError: 'Unhandled' })),
  })
  await expect(storage.file(1)).rejects.toMatchObject({ name: 'TransientError', code: 'storage.http500' })
})
