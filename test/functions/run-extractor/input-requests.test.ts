import { afterAll, beforeAll, expect, it } from 'vitest'
import type { StorageClient } from '#lib/storage-client/storage-client.ts'
import { type Extraction, newExecution, startExtraction } from '../../support/extraction.ts'
import { startStorageService } from '../../support/storage-service.ts'

let at = Date.parse('2026-07-01T12:00:00Z')
let extraction: Extraction
let close: () => Promise<void>
beforeAll(async () => {
  const service = await startStorageService({ now: () => new Date(at) })
  extraction = await startExtraction({ service })
  close = async () => {
    await extraction.close()
    await service.close()
  }
})
afterAll(() => close())

const configuration = (tableId: string) => ({
  storage: { input: { tables: [{ source: tableId, destination: 'a.csv', changed_since: '-2 days' }] } },
  parameters: { api: { baseUrl: 'http://127.0.0.1:1/' }, config: { jobs: [{ endpoint: 'items' }] } },
})

/** The service, whose answer to the first export is lost. */
const losingOneAnswer = (storage: StorageClient, lost: () => void): StorageClient => ({
  ...storage,
  exportTable: async (...asked) => {
    const job = await storage.exportTable(...asked)
    lost()
    return job
  },
})

it('a step that lost the answer to its export asks for the same one, columns and times too', async () => {
  const { service } = extraction
  const bucketId = await service.createBucket('inputs')
  const tableId = await service.createTable(bucketId, 'rows', 'id\n1\n')
  const configId = 'reads'
  await service.call('POST', '/v2/storage/components/ex-generic-v2/configs', {
    configurationId: configId,
    name: configId,
    configuration: configuration(tableId),
  })
  const input = { componentId: 'ex-generic-v2', configId, overlap: 'wait' as const }
  const execution = newExecution()
  extraction.running.add(execution)
  await extraction.advance('begin', execution, input)

  const lostAnswer = new Error('The answer was lost')
  const storageWith = (token: string) =>
    losingOneAnswer(extraction.services().storageWith(token), () => {
      throw lostAnswer
    })
  await expect(extraction.advance('inputs', execution, input, { storageWith })).rejects.toBe(lostAnswer)

  at += 1000
  const added = await service.call('POST', `/v2/storage/tables/${tableId}/columns`, { name: 'more' })
  expect(added.status).toBeLessThan(300)
  let step = await extraction.advance('inputs', execution, input)
  while (step.next === 'inputs') step = await extraction.advance('inputs', execution, input)

  expect(step.next).toBe('leg')
  const { body: jobs } = await service.call('GET', `/v2/storage/jobs?tableId=${tableId}`)
  const asked = jobs.filter((job: { operationName: string }) => job.operationName === 'tableExport')
  expect(asked).toMatchObject([{ operationParams: { export: { columns: ['id'] } } }])
})
