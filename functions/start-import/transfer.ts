import {
  CopyObjectCommand,
  HeadObjectCommand,
  NoSuchUpload,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import pMap from 'p-map'
import {
  abortUpload,
  completeUpload,
  createUpload,
  type DestinationObject,
  listParts,
  type MultipartUpload,
  objectSettings,
  type StoredPart,
} from '../lib/cloud/multipart/multipart-upload.ts'
import { type PartRange, partRanges } from '../lib/cloud/multipart/part-ranges.ts'
import { BLOCK_BYTES, readBlock } from '../lib/cloud/multipart/read-blocks.ts'
import { type ObjectRange, type SourceObject, sourceChanged } from '../lib/cloud/multipart/source-object.ts'
import { assemblePart, copyOrigin, copyPart } from '../lib/cloud/multipart/write-part.ts'
import { TransientError } from '../lib/errors/errors.ts'
import type { PreparedFile, ReadableFile, StorageClient } from '../lib/storage-client/storage-client.ts'
import type { ImportRecords, Progress } from './key-records.ts'

/** Part numbers `from` to `to`, both included: the work of one invocation. */
export interface NumberRange {
  from: number
  to: number
}

/** The end of the key, which may have 1,024 bytes, as far as a file of the service may have a name. */
const fileName = (key: string): string =>
  key
    .slice(key.lastIndexOf('/') + 1)
    .slice(-500)
    .replace(/^[\uDC00-\uDFFF]/, '')

interface UploadServices {
  storage: Pick<StorageClient, 'prepareFile' | 'file' | 'deleteFile'>
  records: ImportRecords
  transfer: Transfer
}

interface Upload {
  source: SourceObject
  versionId: string
  progress: Progress
}

/**
 * The progress of a version whose bytes are a file of the service, or the ranges of it that are to be moved first. A file whose
 * upload was cut short is replaced: its credentials are gone. An upload that several functions fill is resumed.
 */
export const uploadFile = async (
  services: UploadServices,
  upload: Upload,
): Promise<Progress | NumberRange[]> => {
  const { storage, records, transfer } = services
  const { source, versionId, progress } = upload
  const resumed = await finishUpload(services, upload)
  if (resumed) return resumed
  if (progress.fileId !== undefined) await storage.deleteFile(progress.fileId)

  const tags = ['millrace-landing']
  const file = await storage.prepareFile({ name: fileName(source.key), sizeBytes: source.bytes, tags })
  const prepared = { ...progress, fileId: file.id, uploadId: undefined }
  const noted = await records.saveProgress(versionId, prepared)
  const started = await transfer.start(source, file)
  if (!started) return records.saveProgress(versionId, { ...noted, isUploaded: true })
  const begun = await records.saveProgress(versionId, { ...noted, ...started })
  const finished = await finishUpload(services, { ...upload, progress: begun })
  if (!finished)
    throw new TransientError('landing.uploadGone', `The upload of ${source.key} was aborted by others.`)
  return finished
}

/** `undefined`: there is no upload, or it is gone without an object. */
const finishUpload = async (
  { storage, records, transfer }: UploadServices,
  { source, versionId, progress }: Upload,
): Promise<Progress | NumberRange[] | undefined> => {
  const { fileId, uploadId } = progress
  if (fileId === undefined || uploadId === undefined) return undefined
  const missing = await transfer.finish(source, await storage.file(fileId), uploadId)
  return missing?.length === 0 ? records.saveProgress(versionId, { ...progress, isUploaded: true }) : missing
}

/** A way to bring an object to another place. */
interface Way {
  /** Up to here one request brings all of it. */
  readonly wholeBytes: number
  readonly partBytes: number
  readonly partsInParallel: number
  /** The largest object that one function brings by itself, and what one brings of a larger one: it has 15 minutes. */
  readonly limits: TransferLimits
  readonly whole: (source: SourceObject, destination: DestinationObject) => Promise<unknown>
  readonly part: (upload: MultipartUpload, partNumber: number, range: ObjectRange) => Promise<StoredPart>
}

interface TransferLimits {
  readonly atOnceBytes: number
  readonly rangeBytes: number
}

const GiB = 1024 ** 3

/**
 * S3 copies, where the destination's client may read the source: no byte passes through the function, whatever the size. One request would
 * copy 5 GiB, but parallel parts are faster (S3 User Guide, "Copying an object using multipart upload"), some 100 MB/s each. User
 * metadata and tags are not copied.
 */
const copying: Way = {
  wholeBytes: GiB,
  partBytes: GiB / 2,
  partsInParallel: 8,
  limits: { atOnceBytes: 128 * GiB, rangeBytes: 64 * GiB },
  whole: (source, destination) =>
    destination.s3
      .send(
        new CopyObjectCommand({
          ...objectSettings(destination),
          ...copyOrigin(source),
          MetadataDirective: 'REPLACE',
          TaggingDirective: 'REPLACE', // Copying tags would need a right of its own.
        }),
      )
      .catch(sourceChanged(source)),
  part: copyPart,
}

/**
 * Ranges are read and written as parts, in fixed memory, where source and destination have different credentials: some 75 MB/s. Parts
 * larger than a block (of objects over 160 GB) are streamed.
 */
const moving: Way = {
  wholeBytes: BLOCK_BYTES,
  partBytes: BLOCK_BYTES,
  partsInParallel: 4,
  limits: { atOnceBytes: 8 * GiB, rangeBytes: 4 * GiB },
  whole: async (source, destination) => {
    const ranges = source.bytes === 0 ? [] : [{ source, firstByte: 0, lastByte: source.bytes - 1 }]
    const Body = await readBlock(ranges)
    await destination.s3.send(new PutObjectCommand({ ...objectSettings(destination), Body }))
  },
  part: (upload, partNumber, range) => assemblePart(upload, partNumber, [range]),
}

const bringParts = (
  way: Way,
  upload: MultipartUpload,
  source: SourceObject,
  parts: readonly PartRange[],
): Promise<StoredPart[]> =>
  pMap(parts, ({ partNumber, ...range }) => way.part(upload, partNumber, { source, ...range }), {
    concurrency: way.partsInParallel,
  })

/** All or nothing: a failed multipart upload is aborted. Throws `UserError` (`source.changed`) when the source no longer has its ETag. */
const bringObject = async (way: Way, source: SourceObject, destination: DestinationObject): Promise<void> => {
  if (source.bytes <= way.wholeBytes) return void (await way.whole(source, destination))
  const upload = await createUpload(destination)
  try {
    const parts = await bringParts(way, upload, source, partRanges(source.bytes, way.partBytes))
    await completeUpload(upload, parts)
  } catch (error) {
    // Throw the error of the copy, not that of the clean-up. A lifecycle rule removes what is left.
    await abortUpload(upload).catch(() => undefined)
    throw error
  }
}

export interface TransferOptions {
  /** Reads the landing bucket, and writes the files bucket when it is ours. */
  s3: S3Client
  /** The bucket that `s3` may write to; any other is reached with the file's own credentials. */
  ownFilesBucket: string
  /** They last an hour and a step at most fifteen minutes: each step asks for the file, and so for new ones. */
  s3With: (region: string, credentials: ReadableFile['credentials']) => S3Client
  /** Default: those of the way. */
  limits?: TransferLimits
}

/**
 * Brings a landed object into the place of a file. Copies inside S3 when the service's bucket belongs to this stack, and streams through memory when it does not: the
 * credentials of a hosted service's file cannot read our landing bucket.
 */
export const createTransfer = ({ s3, ownFilesBucket, s3With, limits }: TransferOptions) => {
  const isOwn = (bucket: string): boolean => bucket === ownFilesBucket
  const wayTo = (bucket: string): Way => ({
    ...(isOwn(bucket) ? copying : moving),
    ...(limits && { limits }),
  })

  /** The file's credentials allow all of it but reading the landing bucket, so our own rights can stay narrow. */
  const uploadOf = ({ region, credentials, s3Path }: ReadableFile, uploadId: string): MultipartUpload => ({
    s3: s3With(region, credentials),
    ...s3Path,
    uploadId,
  })

  /** Its parts, and whether S3 has each. */
  const partsOf = async (source: SourceObject, upload: MultipartUpload, range?: NumberRange) => {
    const stored = await listParts(upload, range)
    const numbers = new Set(stored.map(({ partNumber }) => partNumber))
    const parts = partRanges(source.bytes, wayTo(upload.bucket).partBytes)
    return { stored, parts, isMissing: ({ partNumber }: PartRange) => !numbers.has(partNumber) }
  }

  return {
    /** Moves the object whole; or, when one function would not finish in time, resolves to an upload to be filled. */
    start: async (
      source: SourceObject,
      { region, uploadParams }: PreparedFile,
    ): Promise<{ uploadId: string } | undefined> => {
      const { bucket, key, credentials, 'x-amz-server-side-encryption': serverSideEncryption } = uploadParams
      const to = isOwn(bucket) ? s3 : s3With(region, credentials)
      const destination = { bucket, key, serverSideEncryption, s3: to }
      const way = wayTo(bucket)
      if (source.bytes <= way.limits.atOnceBytes) return void (await bringObject(way, source, destination))
      const { uploadId } = await createUpload(destination)
      return { uploadId }
    },

    /** Fills the parts of a range; those that are there already stay. */
    moveRange: async (
      source: SourceObject,
      file: ReadableFile,
      uploadId: string,
      range: NumberRange,
    ): Promise<void> => {
      const upload = uploadOf(file, uploadId)
      const { parts, isMissing } = await partsOf(source, upload, range)
      const missing = parts.slice(range.from - 1, range.to).filter(isMissing)
      const target = isOwn(upload.bucket) ? { ...upload, s3 } : upload
      await bringParts(wayTo(upload.bucket), target, source, missing)
    },

    /** The ranges that are missing yet. None: the upload has become the object. `undefined`: it is gone, without an object. */
    finish: async (
      source: SourceObject,
      file: ReadableFile,
      uploadId: string,
    ): Promise<NumberRange[] | undefined> => {
      const upload = uploadOf(file, uploadId)
      try {
        const { stored, parts, isMissing } = await partsOf(source, upload)
        const missing = rangesOf(parts, wayTo(upload.bucket).limits.rangeBytes).filter(({ from, to }) =>
          parts.slice(from - 1, to).some(isMissing),
        )
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

/** Ranges of neighbours, each of `rangeBytes` or, when there would be too many, more. All parts but the last have one size. */
const rangesOf = (parts: readonly PartRange[], rangeBytes: number): NumberRange[] => {
  const partBytes = parts[0] ? parts[0].lastByte + 1 : 1
  const length = Math.max(1, Math.floor(rangeBytes / partBytes), Math.ceil(parts.length / MOST_RANGES))
  return Array.from({ length: Math.ceil(parts.length / length) }, (_, index) => ({
    from: index * length + 1,
    to: Math.min(parts.length, (index + 1) * length),
  }))
}
