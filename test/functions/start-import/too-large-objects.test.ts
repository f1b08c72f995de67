import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { AcceptedLoads } from '#lib/distributed/load-limits.ts'
import {
  bucketId,
  dependencies,
  jobsOfTest,
  land,
  newExecution,
  rowsOf,
  service,
  start,
  useImportService,
} from '#support/import-service.ts'
import { startImport } from '#support/told-import.ts'

useImportService()

describe('an object that is too large to be loaded', () => {
  const acceptedLoads: AcceptedLoads = {
    singleLoadBytes: 50,
    gzip: { compressedBytes: 100, uncompressedBytes: 1000 },
  }
  /** Gzip cannot be cut, and these numbers can hardly be compressed. */
  const tooLarge = gzipSync(`id\n${Array.from({ length: 100 }, (_, n) => `${Math.sin(n)}\n`).join('')}`)
  const filesOf = async () => (await service.call('GET', '/v2/storage/files?limit=100')).body.length

  it('is refused before a file is made of it, with what to do, and its failure is an event', async () => {
    const landed = await land(`${bucketId}/orders.csv`, tooLarge)
    const before = await filesOf()
    const execution = newExecution()
    await expect(start(landed, execution, { acceptedLoads })).rejects.toMatchObject({
      name: 'UserError',
      code: 'storage.load.sliceTooLarge',
      message: expect.stringContaining('Upload it uncompressed'),
    })
    expect(await filesOf()).toBe(before)
    expect(await jobsOfTest()).toEqual([])

    const failure = { Error: 'UserError', Cause: JSON.stringify({ errorMessage: 'The data has 203 bytes' }) }
    await startImport({ ...dependencies, acceptedLoads }, { event: landed, execution, failure })
    const { body: events } = await service.call('GET', '/v2/storage/events?limit=5')
    expect(events).toContainEqual(
      expect.objectContaining({
        message: expect.stringContaining(`Import of ${bucketId}/orders.csv failed`),
      }),
    )
  })

  it('stops no other version of its key', async () => {
    const changed = { acceptedLoads }
    const first = await land(`${bucketId}/orders.csv`, tooLarge, { incremental: '1' })
    const second = await land(`${bucketId}/orders.csv`, 'id\n2\n', { incremental: '1' })
    expect(await start(second, newExecution(), changed)).toMatchObject({ outcome: 'started' })
    expect(await rowsOf('orders')).toEqual(['"id"', '"2"'])
    await expect(start(first, newExecution(), changed)).rejects.toMatchObject({
      code: 'storage.load.sliceTooLarge',
    })
    expect(await rowsOf('orders')).toEqual(['"id"', '"2"'])
  })

  it('is not refused when it can be cut', async () => {
    const landed = await land(`${bucketId}/cut.csv`, `id\n${'1\n'.repeat(100)}`)
    expect(await start(landed, newExecution(), { acceptedLoads })).toMatchObject({ outcome: 'started' })
  })

  it('is imported again after the limit was raised', async () => {
    const landed = await land(`${bucketId}/orders.csv`, tooLarge)
    await expect(start(landed, 'execution-small', { acceptedLoads })).rejects.toMatchObject({
      name: 'UserError',
    })
    await startImport(dependencies, {
      event: landed,
      execution: 'execution-small',
      failure: { Error: 'UserError' },
    })
    expect(await start(landed)).toMatchObject({ outcome: 'started' })
  })
})

describe('an object for a hosted service', () => {
  it.each([
    ['json', '[{"id":1}]', true],
    ['jsonl', '{"id":1}\n', true],
    ['json.gz', gzipSync('{"id":1}\n'), true],
    ['parquet', 'PAR1\x15', true],
    ['csv', 'id\n1\n', false],
    ['csv.gz', gzipSync('id\n1\n'), false],
  ])('in %s is refused before it is moved unless it is CSV', async (extension, content, isRefused) => {
    const landed = await land(`${bucketId}/hosted.${extension}`, content)
    const started = start(landed, newExecution(), { acceptedLoads: undefined })
    if (isRefused) await expect(started).rejects.toMatchObject({ code: 'landing.notCsv' })
    else expect(await started).toMatchObject({ outcome: 'started' })
  })
})
