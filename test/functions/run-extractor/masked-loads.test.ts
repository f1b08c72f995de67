import { beforeEach, expect, it } from 'vitest'
import type { createStorageClient } from '#lib/storage-client/storage-client.ts'
import { startExtraction } from '#support/extraction.ts'
import { untilEnd } from '#support/until-end.ts'
import { startApi } from '../lib/extractor/api-server.ts'

const secret = 'hunter-4711-secret'
const extraction = await untilEnd(startExtraction())
const api = await untilEnd(startApi(() => [{ id: secret }]))
const call = async (method: string, path: string, body?: object) =>
  (await extraction.service.call(method, `/v2/storage/${path}`, body)).text

await call('POST', 'buckets', { stage: 'in', name: 'typed' })
const columns = [{ name: 'id', basetype: 'INTEGER' }]
await call('POST', 'buckets/in.c-typed/tables-definition', { name: 'orders', columns })
await call('POST', 'components/ex-generic-v2/configs', {
  configurationId: 'echo',
  name: 'echo',
  configuration: {
    parameters: {
      api: { baseUrl: `${api.origin}/` },
      config: { '#token': secret, outputBucket: 'typed', jobs: [{ endpoint: 'orders' }] },
    },
  },
})
beforeEach(() => {
  extraction.logged.length = 0
})

it('a secret that an API repeats in a cell is in nothing that a load says of it: its job, events, result and log', async () => {
  const { end } = await extraction.run('echo')
  const said = [await call('GET', 'jobs'), await call('GET', 'events'), end, extraction.logged]
  expect(JSON.stringify(end)).toContain("Numeric value '***' is not recognized")
  expect(said[1]).toContain('storage.tableImportError')
  expect(JSON.stringify(said)).not.toContain(secret)
})

it('a run masks what another storage service says of a load', async () => {
  const { storageWith } = extraction.services()
  // Without its tag a file is no run's: the service shows the cell, as a hosted one does.
  const settings = {
    storageWith: (token: string): ReturnType<typeof createStorageClient> => {
      const client = storageWith(token)
      return { ...client, prepareFile: file => client.prepareFile({ ...file, tags: [] }) }
    },
  }
  const { end } = await extraction.run('echo', { settings })
  expect(await call('GET', 'jobs')).toContain(secret)
  const events = JSON.parse(await call('GET', 'events?component=ex-generic-v2'))
  expect(events[0].message).toContain("Numeric value '***' is not recognized")
  expect(JSON.stringify([events, end, extraction.logged])).not.toContain(secret)
})
