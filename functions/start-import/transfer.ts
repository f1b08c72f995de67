import { HeadObjectCommand, NoSuchUpload, type S3Client } from '@aws-sdk/client-s3'
import pMap from 'p-map'
import { bringObject, bringPart, copying, moving, type Way } from '../lib/cloud/multipart/bring-object.ts'
import {
  abortUpload,
  completeUpload,
  createUpload,
  listParts,
  type MultipartUpload,
} from '../lib/cloud/multipart/multipart-upload.ts'
import { type PartRange, partRanges } from '../lib/cloud/multipart/part-ranges.ts'
import type { SourceObject } from '../lib/cloud/multipart/source-object.ts'
import type { PreparedFile, ReadableFile } from '../lib/storage-client/storage-client.ts'

/** Part numbers `from` to `to`, both included: the work of one invocation. */
export interface NumberRange {
  from: number
  to: number
}

const GiB = 1024 ** 3

/** A function has 15 minutes and streams some 75 MB/s; S3 copies eight parts side by side at some 100 MB/s each. */
const LIMITS = {
  /** The largest object that one function moves by itself. */
  copiedAtOnceBytes: 128 * GiB,
  streamedAtOnceBytes: 8 * GiB,
  /** What one function moves of a larger one. */
  copiedRangeBytes: 64 * GiB,
  streamedRangeBytes: 4 * GiB,
}

export interface TransferOptions {
  /** Reads the landing bucket, and writes the files bucket when it is ours. */
  s3: S3Client
  /** The bucket that `s3` may write to; any other is reached with the file's own credentials. */
  ownFilesBucket: string
  /** They last an hour and a step at most fifteen minutes: each step asks for the file, and so for new ones. */
  s3With: (region: string, credentials: ReadableFile['credentials']) => S3Client
  limits?: Partial<typeof LIMITS>
}

/**
 * Brings a landed object into the place of a file. Copies inside S3 when the service's bucket belongs to this stack, and streams through memory when it does not: the
 * credentials of a hosted service's file cannot read our landing bucket.
 */
export const createTransfer = ({ s3, ownFilesBucket, s3With, limits }: TransferOptions) => {
  const { copiedAtOnceBytes, streamedAtOnceBytes, copiedRangeBytes, streamedRangeBytes } = {
    ...LIMITS,
    ...limits,
  }
  const isOwn = (bucket: string): boolean => bucket === ownFilesBucket
  const wayTo = (bucket: string): Way => (isOwn(bucket) ? copying : moving)
  const partsOf = ({ bytes }: SourceObject, bucket: string): PartRange[] =>
    partRanges(bytes, wayTo(bucket).partBytes)

  /** The file's credentials allow all of it but reading the landing bucket, so our own rights can stay narrow. */
  const uploadOf = ({ region, credentials, s3Path }: ReadableFile, uploadId: string): MultipartUpload => ({
    s3: s3With(region, credentials),
    ...s3Path,
    uploadId,
  })

  return {
    /** Moves the object whole; or, when one function would not finish in time, resolves to an upload to be filled. */
    start: async (
      source: SourceObject,
      { region, uploadParams }: PreparedFile,
    ): Promise<{ uploadId: string } | undefined> => {
      const { bucket, key, credentials, 'x-amz-server-side-encryption': serverSideEncryption } = uploadParams
      const to = isOwn(bucket) ? s3 : s3With(region, credentials)
      const destination = { bucket, key, serverSideEncryption, s3: to }
      if (source.bytes > (isOwn(bucket) ? copiedAtOnceBytes : streamedAtOnceBytes)) {
        const { uploadId } = await createUpload(destination)
        return { uploadId }
      }
      await bringObject(wayTo(bucket), source, destination)
      return undefined
    },

    /** Fills the parts of a range; those that are there already stay. */
    moveRange: async (
      source: SourceObject,
      file: ReadableFile,
      uploadId: string,
      { from, to }: NumberRange,
    ): Promise<void> => {
      const upload = uploadOf(file, uploadId)
      const stored = new Set((await listParts(upload, { from, to })).map(({ partNumber }) => partNumber))
      const missing = partsOf(source, upload.bucket)
        .slice(from - 1, to)
        .filter(({ partNumber }) => !stored.has(partNumber))
      const way = wayTo(upload.bucket)
      const target = isOwn(upload.bucket) ? { ...upload, s3 } : upload
      await pMap(missing, part => bringPart(way, target, source, part), {
        concurrency: way.partsInParallel,
      })
    },

    /** The ranges that are missing yet. None: the upload has become the object. `undefined`: it is gone, without an object. */
    finish: async (
      source: SourceObject,
      file: ReadableFile,
      uploadId: string,
    ): Promise<NumberRange[] | undefined> => {
      const upload = uploadOf(file, uploadId)
      try {
        const stored = await listParts(upload)
        const numbers = new Set(stored.map(({ partNumber }) => partNumber))
        const rangeBytes = isOwn(upload.bucket) ? copiedRangeBytes : streamedRangeBytes
        const isThere = ({ partNumber }: PartRange): boolean => numbers.has(partNumber)
        const missing = moveRanges(partsOf(source, upload.bucket), isThere, rangeBytes)
        if (missing.length === 0) await completeUpload(upload, stored)
        return missing
      } catch (error) {
        if (!(error instanceof NoSuchUpload)) throw error
        return (await hasObject(upload, source.bytes)) ? [] : undefined
      }
    },

    abort: (file: ReadableFile, uploadId: string): Promise<void> => abortUpload(uploadOf(file, uploadId)),
  }
}

export type Transfer = ReturnType<typeof createTransfer>

/** Completed by an attempt whose answer, or whose record of it, was lost. */
const hasObject = async ({ s3, bucket, key }: MultipartUpload, bytes: number): Promise<boolean> => {
  const head = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: key })).catch(() => undefined)
  return head?.ContentLength === bytes
}

/**
 * An inline Map writes some eight events per iteration, and an execution has 25,000 of them (Step Functions quotas,
 * "Maximum execution event history size").
 */
const MOST_RANGES = 1_500

/** Groups the missing parts into ranges of neighbours, each of `rangeBytes` or, when there would be too many, more. */
const moveRanges = (
  parts: readonly PartRange[],
  isThere: (part: PartRange) => boolean,
  rangeBytes: number,
): NumberRange[] => {
  const bytesOf = ({ firstByte, lastByte }: PartRange): number => lastByte - firstByte + 1
  const missing = parts.filter(part => !isThere(part))
  const missingBytes = missing.reduce((sum, part) => sum + bytesOf(part), 0)
  const mostBytes = Math.max(rangeBytes, Math.ceil(missingBytes / MOST_RANGES))
  const ranges: NumberRange[] = []
  let room = 0
  for (const part of missing) {
    const range = ranges.at(-1)
    if (range && range.to === part.partNumber - 1 && room >= bytesOf(part)) {
      range.to = part.partNumber
      room -= bytesOf(part)
    } else {
      ranges.push({ from: part.partNumber, to: part.partNumber })
      room = mostBytes - bytesOf(part)
    }
  }
  return ranges
}
