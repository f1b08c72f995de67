import { expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'

const gate = Promise.withResolvers<void>()
/** Of the partitions of events, one stands for all: each list reads it once. */
let partition: string | undefined
let reading = 0

const service = await withStorage({
  items: items => ({
    ...items,
    async *query(pk, range) {
      if (pk.startsWith('EVENTS')) {
        partition ??= pk
        if (pk === partition) reading++
        await gate.promise
      }
      yield* items.query(pk, range)
    },
  }),
})

it('four requests of a token are answered at a time, and nobody waits for its further ones', async () => {
  const newToken = async () => (await service.call('POST', '/v2/storage/tokens', {})).body.token
  const [one, other] = [await newToken(), await newToken()]
  const ask = (token: string, requests: number) =>
    Array.from({ length: requests }, () =>
      service.call('GET', '/v2/storage/events', undefined, { 'X-StorageApi-Token': token }),
    )
  const flood = ask(one, 7)
  await expect.poll(() => reading).toBe(4)
  const others = [...ask(other, 2), ...ask(service.token, 6)]
  await expect.poll(() => reading).toBe(12)
  gate.resolve()
  for (const { status } of await Promise.all([...flood, ...others])) expect(status).toBe(200)
  expect(reading).toBe(15)
})

it('nor more of what needs no token for one address', async () => {
  const read: string[] = []
  const bodies = Promise.withResolvers<void>()
  const seal = (address: string) =>
    service.app.fetch(
      new Request(`http://storage.test/encryption/encrypt?componentId=c&projectId=1`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: new ReadableStream(
          {
            async pull(controller) {
              read.push(address)
              await bodies.promise
              controller.enqueue(new TextEncoder().encode('{"#a":"secret"}'))
              controller.close()
            },
          },
          { highWaterMark: 0 },
        ),
        duplex: 'half',
      } as RequestInit),
    )
  const all = [...Array(6).fill('192.0.2.1'), '192.0.2.2'].map(seal)
  await expect.poll(() => read.toSorted()).toEqual([...Array(4).fill('192.0.2.1'), '192.0.2.2'])
  bodies.resolve()
  for (const { status } of await Promise.all(all)) expect(status).toBe(200)
})
