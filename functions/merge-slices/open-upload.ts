import {
  AbortMultipartUploadCommand,
  ListPartsCommand,
  NoSuchUpload,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { z } from 'zod'
import { listUploads } from '../lib/cloud/multipart/list-uploads.ts'
import { createUpload, type DestinationObject } from '../lib/cloud/multipart/multipart-upload.ts'
import { UserError } from '../lib/errors/errors.ts'
import type { WorkPlace } from './work-place.ts'

const openingRecord = z.object({ bucket: z.string(), key: z.string(), startedAt: z.string() })
const uploadRecord = z.object({ bucket: z.string(), key: z.string(), uploadId: z.string() })

/** The clocks of S3 and of the function may differ by this much. */
const CLOCK_TOLERANCE_MS = 5_000

/**
 * The one multipart upload of an execution, however often this is called.
 *
 * S3 has no idempotency key here: when its answer is lost, an upload exists that nobody knows. So the intention is
 * stored first. An attempt that finds an intention without an upload aborts what the earlier attempt may have created.
 */
export const openUpload = async (destination: DestinationObject, work: WorkPlace): Promise<string> => {
  const known = await findUpload(work)
  if (known) return known.uploadId
  const { bucket, key } = destination
  await sweepOrphans(work)
  await work.write('opening.json', { bucket, key, startedAt: new Date().toISOString() })
  const { uploadId } = await createUpload(destination).catch((error: unknown) => {
    throw refusalOf(error, destination) ?? error
  })
  await work.write('upload.json', { bucket, key, uploadId })
  return uploadId
}

export const findUpload = (work: WorkPlace) => work.read('upload.json', uploadRecord)

/**
 * Aborts uploads with unknown ids: created for this key since the intention was stored, and without parts.
 *
 * If two executions write one key in the same moment, and one of them lost an answer, it could abort the upload of the
 * other. The other then fails cleanly, which is better than an upload that stays for ever.
 */
export const sweepOrphans = async (work: WorkPlace): Promise<void> => {
  const opening = await work.read('opening.json', openingRecord)
  if (!opening) return
  const known = await findUpload(work)
  if (known) return
  const { s3 } = work
  const { bucket: Bucket, key: Key } = opening
  const since = Date.parse(opening.startedAt) - CLOCK_TOLERANCE_MS
  try {
    for await (const { key, uploadId, initiated } of listUploads(s3, Bucket, Key)) {
      if (key !== Key || initiated.getTime() < since) continue
      const upload = { Bucket, Key, UploadId: uploadId }
      const { Parts = [] } = await s3.send(new ListPartsCommand({ ...upload, MaxParts: 1 })).catch(ifGone)
      if (Parts.length === 0) await s3.send(new AbortMultipartUploadCommand(upload)).catch(ifGone)
    }
  } catch (error) {
    // There is no such bucket, or it is not ours: we cannot have created an upload there.
    if (!isRefusal(error)) throw error
  }
}

const ifGone = (error: unknown): { Parts?: unknown[] } => {
  if (error instanceof NoSuchUpload) return {}
  throw error
}

const isRefusal = (error: unknown): boolean =>
  error instanceof S3ServiceException && [403, 404].includes(error.$metadata.httpStatusCode ?? 0)

const refusalOf = (error: unknown, { bucket, key }: DestinationObject): UserError | undefined => {
  if (!(error instanceof S3ServiceException)) return undefined
  switch (error.$metadata.httpStatusCode) {
    case 403:
      return new UserError(
        'export.destinationForbidden',
        `The export may not write ${key} in ${bucket}. Besides the exports bucket it writes only those that the ` +
          'stack configuration names under exportBuckets, and their own policy must allow it.',
        { cause: error },
      )
    case 404:
      return new UserError('export.destinationMissing', `There is no bucket ${bucket}.`, { cause: error })
    default:
      return undefined
  }
}
