import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { TransientError } from '#lib/errors/errors.ts'
import { NONE } from '#lib/none.ts'
import {
  bucketId,
  dependencies,
  finishJobs,
  land,
  newExecution,
  service,
  start,
  transferOf,
  useImportService,
} from '#support/import-service.ts'
import { startImport } from '#support/told-import.ts'

useImportService()

describe('an object that is too large for one function', () => {
  const MiB = 1024 ** 2
  const limits = { atOnceBytes: 16 * MiB, rangeBytes: 16 * MiB }

  const contentOf = (letter: string) => `value\n${`${letter.repeat(1000)}\n`.repeat(17_000)}`
  const content = contentOf('x')
  const unfinishedUploads = async () =>
    (await service.s3.send(new ListMultipartUploadsCommand({ Bucket: service.filesBucket }))).Uploads ?? []

  it.each([
    ['streamed to a service elsewhere', NONE, 2],
    ['copied inside S3', 'files', 1],
  ])('is %s, range by range, and then imported', async (_, ownFilesBucket, count) => {
    const changed = { transfer: transferOf({ ownFilesBucket, limits }) }
    const landed = await land(`${bucketId}/large.csv`, content)
    const execution = newExecution()
    const begun = await start(landed, execution, changed)
    if (begun.outcome !== 'moving') throw new Error(`it is ${begun.outcome}`)
    expect(begun.ranges).toHaveLength(count)

    const move = (range: { from: number; to: number }) =>
      startImport({ ...dependencies, ...changed }, { event: landed, execution, move: range })
    for (const range of begun.ranges.slice(1)) await move(range)
    // An execution that begins again is told what is missing, and nobody else may take part.
    expect(await start(landed, execution, changed)).toEqual({ ...begun, ranges: begun.ranges.slice(0, 1) })
    expect(await start(landed, newExecution(), changed)).toMatchObject({ outcome: 'duplicate' })
    await Promise.all([...begun.ranges, ...begun.ranges.slice(0, 1)].map(move))

    expect(await start(landed, execution, changed)).toMatchObject({ outcome: 'started' })
    await finishJobs()
    const { body: table } = await service.call('GET', `/v2/storage/tables/${bucketId}.large`)
    expect(table.rowsCount).toBe(17_000)
    expect(await unfinishedUploads()).toEqual([])
    expect(await move({ from: 1, to: 1 })).toEqual({ outcome: 'moved' })
  })

  it('leaves nothing of its move on the failure path, and can be moved again', async () => {
    const changed = { transfer: transferOf({ ownFilesBucket: NONE, limits }) }
    const landed = await land(`${bucketId}/large.csv`, content)
    const execution = newExecution()
    expect(await start(landed, execution, changed)).toMatchObject({ outcome: 'moving' })
    expect(await unfinishedUploads()).toHaveLength(1)
    const failure = { Error: 'Error', Cause: 'died' }
    await startImport({ ...dependencies, ...changed }, { event: landed, execution, failure })
    expect(await unfinishedUploads()).toEqual([])
    expect(await start(landed, newExecution())).toMatchObject({ outcome: 'started' })
  })

  it('whose upload is aborted by others makes no job of a file that nobody filled', async () => {
    const transfer = transferOf({ ownFilesBucket: NONE, limits })
    const abortFirst: typeof transfer.finish = async (source, file, uploadId) => {
      await transfer.abort(file, uploadId)
      return transfer.finish(source, file, uploadId)
    }
    const landed = await land(`${bucketId}/large.csv`, content)
    const execution = newExecution()
    const refused = start(landed, execution, { transfer: { ...transfer, finish: abortFirst } })
    await expect(refused).rejects.toBeInstanceOf(TransientError)
    expect(await start(landed, execution, { transfer })).toMatchObject({ outcome: 'moving' })
    const failure = { Error: 'Error', Cause: 'died' }
    await startImport({ ...dependencies, transfer }, { event: landed, execution, failure })
  })
})
