import type { CompleteMultipartUploadCommandInput } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { NONE } from '#lib/none.ts'
import {
  bucketId,
  dependencies,
  finishJobs,
  land,
  newExecution,
  s3With,
  service,
  start,
  transferOf,
  useImportService,
} from '#support/import-service.ts'
import { listWithoutChecksums } from '#support/list-without-checksums.ts'
import { startImport } from '#support/told-import.ts'

useImportService()

const MiB = 1024 ** 2
const content = `value\n${`${'x'.repeat(1000)}\n`.repeat(17_000)}`
const limits = {
  atOnceBytes: 16 * MiB,
  rangeBytes: 16 * MiB,
}

/** An object that several functions move to a service that lists no checksums of parts. */
const beginMove = async (ownFilesBucket: string) => {
  const completions: CompleteMultipartUploadCommandInput[] = []
  const transfer = transferOf({
    ownFilesBucket,
    limits,
    s3With: (region, credentials) => listWithoutChecksums(s3With(region, credentials), completions),
  })
  const landed = await land(`${bucketId}/large.csv`, content)
  const execution = newExecution()
  const begun = await start(landed, execution, { transfer })
  if (begun.outcome !== 'moving') throw new Error(`it is ${begun.outcome}`)
  return {
    completions,
    ranges: begun.ranges,
    move: (move: { from: number; to: number }) =>
      startImport({ ...dependencies, transfer }, { event: landed, execution, move }),
    end: () => start(landed, execution, { transfer }),
  }
}

describe('a move to a service that lists parts without checksums', () => {
  it.each([
    ['streamed', () => NONE, 1],
    ['streamed twice at once', () => NONE, 2],
    ['copied', () => service.filesBucket, 1],
  ])('leaves the checksum of the whole to S3, which knows it of each part: %s', async (_, bucket, times) => {
    const { ranges, move, end, completions } = await beginMove(bucket())
    await Promise.all(Array.from({ length: times }, () => ranges.map(move)).flat())
    expect(await end()).toMatchObject({ outcome: 'started' })
    expect(completions.map(({ ChecksumCRC32 }) => ChecksumCRC32)).toEqual([undefined])
    await finishJobs()
    const { body: table } = await service.call('GET', `/v2/storage/tables/${bucketId}.large`)
    expect(table.rowsCount).toBe(17_000)
  })
})
