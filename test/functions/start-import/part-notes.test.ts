import type { CompleteMultipartUploadCommandInput } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import type { PartNotes } from '#functions/start-import/part-notes.ts'
import { startImport } from '#functions/start-import/start-import.ts'
import { NONE } from '#lib/none.ts'
import {
  bucketId,
  dependencies,
  finishJobs,
  land,
  newExecution,
  records,
  s3With,
  service,
  start,
  transferOf,
  useImportService,
} from '#support/import-service.ts'
import { listWithoutChecksums } from '#support/list-without-checksums.ts'

useImportService()

const MiB = 1024 ** 2
const content = `value\n${`${'x'.repeat(1000)}\n`.repeat(17_000)}`
const limits = {
  copiedAtOnceBytes: 16 * MiB,
  streamedAtOnceBytes: 16 * MiB,
  copiedRangeBytes: 16 * MiB,
  streamedRangeBytes: 16 * MiB,
}

/** An object that several functions move to a service that lists no checksums of parts. */
const beginMove = async ({ ownFilesBucket = NONE, notes = records.notes } = {}) => {
  const completions: CompleteMultipartUploadCommandInput[] = []
  const transfer = transferOf({
    ownFilesBucket,
    limits,
    notes,
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

const expectTable = async () => {
  await finishJobs()
  const { body: table } = await service.call('GET', `/v2/storage/tables/${bucketId}.large`)
  expect(table.rowsCount).toBe(17_000)
}

const checksums = ({ MultipartUpload }: CompleteMultipartUploadCommandInput) =>
  (MultipartUpload?.Parts ?? []).map(({ ChecksumCRC32 }) => ChecksumCRC32)

describe('a move to a service that lists parts without checksums', () => {
  it.each([
    ['streamed', () => NONE],
    ['copied', () => service.filesBucket],
  ])('is completed with those that S3 answered when they were %s', async (_, ownFilesBucket) => {
    const { ranges, move, end, completions } = await beginMove({ ownFilesBucket: ownFilesBucket() })
    for (const range of ranges) await move(range)
    expect(await end()).toMatchObject({ outcome: 'started' })
    const [completion] = completions
    if (!completion) throw new Error('Nothing was completed')
    expect(completion.ChecksumCRC32).toMatch(/^[\w+/]{6}==$/)
    expect(new Set(checksums(completion).map(text => typeof text))).toEqual(new Set(['string']))
    await expectTable()
  })

  it('may be made twice at once', async () => {
    const { ranges, move, end, completions } = await beginMove()
    await Promise.all([...ranges, ...ranges].map(move))
    expect(await end()).toMatchObject({ outcome: 'started' })
    expect(completions[0]?.ChecksumCRC32).toMatch(/^[\w+/]{6}==$/)
    await expectTable()
  })

  it('whose function dies between a part and its note leaves the checksum to S3', async () => {
    let deaths = 1
    const notes: PartNotes = {
      ...records.notes,
      add: async (...note) => {
        if (deaths-- > 0) throw new Error('died')
        await records.notes.add(...note)
      },
    }
    const { ranges, move, end, completions } = await beginMove({ notes })
    const [first] = ranges
    if (!first) throw new Error('There is no range')
    await expect(move(first)).rejects.toThrow('died')
    for (const range of ranges) await move(range)
    expect(await end()).toMatchObject({ outcome: 'started' })
    expect(completions).toHaveLength(1)
    expect(completions[0]?.ChecksumCRC32).toBeUndefined()
    await expectTable()
  })
})

describe('the notes of an upload', () => {
  const part = (partNumber: number, checksum?: string) => ({ partNumber, etag: '"e"', bytes: 5, checksum })

  it('keep every part, whatever is written beside it', async () => {
    const numbers = [1, 2, 99, 100, 101, 200, 250]
    await Promise.all(numbers.map(number => records.notes.add('many', part(number, `c${number}`))))
    await records.notes.add('many', part(3))
    expect(await records.notes.read('many', 250)).toEqual(
      expect.arrayContaining(numbers.map(number => part(number, `c${number}`))),
    )
    expect(await records.notes.read('many', 250)).toHaveLength(numbers.length)
  })

  it('are not those of an earlier upload', async () => {
    await records.notes.add('earlier', part(1, 'c'))
    expect(await records.notes.read('later', 1)).toEqual([])
  })

  it('of a part that was written again are those of the last', async () => {
    await records.notes.add('again', part(1, 'first'))
    await records.notes.add('again', part(1, 'second'))
    expect(await records.notes.read('again', 1)).toEqual([part(1, 'second')])
  })
})
