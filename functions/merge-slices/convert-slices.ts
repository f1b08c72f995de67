import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { Upload } from '@aws-sdk/lib-storage'
import { readBlocks } from '../lib/cloud/multipart/read-blocks.ts'
import type { ObjectRange } from '../lib/cloud/multipart/source-object.ts'
import { UserError } from '../lib/errors/errors.ts'
import type { NumberRange } from './event.ts'
import { openFile } from './file-access.ts'
import { conversionRecord, rangeRecord, readRangeRecord } from './plan-records.ts'
import type { MergeSlicesServices } from './services.ts'
import type { WorkPlace } from './work-place.ts'

const READ_BYTES = 4 * 1024 ** 2
// S3: at most 10,000 parts (User Guide, "Multipart upload limits"): 16 MiB reach 156 GiB with two parts in memory.
const PART_BYTES = 16 * 1024 ** 2
const PARTS_IN_MEMORY = 2
const CHUNK_BYTES = 1024 ** 2

/** Compresses or expands groups of slices, in fixed memory, into one object each below the work prefix. */
export const convertSlices = async (
  services: MergeSlicesServices,
  { from, to }: NumberRange,
  work: WorkPlace,
): Promise<void> => {
  const conversion = await work.read('conversion.json', conversionRecord)
  if (!conversion) throw new Error('There is no conversion to do')
  for (let number = from; number <= to; number++) {
    const record = await work.read(`conversions/${number}.json`, rangeRecord)
    if (!record) throw new Error(`Conversion ${number} was not written down`)
    const [part] = await readRangeRecord(record, work, () => openFile(conversion.fileId, services))
    await convert(part?.ranges ?? [], { to: conversion.to, key: convertedKey(number, work), work })
  }
}

const convertedKey = (number: number, work: WorkPlace): string =>
  `${work.prefix}converted/${String(number).padStart(8, '0')}`

const convert = async (
  ranges: readonly ObjectRange[],
  { to, key, work }: { to: 'gzip' | 'plain'; key: string; work: WorkPlace },
): Promise<void> => {
  const codec =
    to === 'gzip' ? createGzip({ chunkSize: CHUNK_BYTES }) : createGunzip({ chunkSize: CHUNK_BYTES })
  const upload = new Upload({
    client: work.s3,
    params: { Bucket: work.bucket, Key: key, Body: codec },
    partSize: PART_BYTES,
    queueSize: PARTS_IN_MEMORY,
  })
  try {
    // Joined slices are joined gzip members, which are one stream (RFC 1952, section 2.2).
    await Promise.all([
      pipeline(Readable.from(readBlocks(ranges, { blockBytes: READ_BYTES }), { objectMode: false }), codec),
      upload.done(),
    ])
  } catch (error) {
    throw isBrokenGzip(error) ? brokenGzip(ranges, error) : error
  } finally {
    codec.destroy()
  }
}

const isBrokenGzip = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')

const brokenGzip = (ranges: readonly ObjectRange[], cause: unknown): UserError =>
  new UserError(
    'export.brokenGzip',
    `The slices from ${ranges[0]?.source.key} to ${ranges.at(-1)?.source.key} cannot be expanded: their compressed ` +
      'data is broken.',
    { cause },
  )
