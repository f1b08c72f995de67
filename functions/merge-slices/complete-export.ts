import { completeUpload, isPreconditionFailed, listParts } from '../lib/aws/multipart/multipart-upload.ts'
import { UserError } from '../lib/errors/errors.ts'
import { withNotes } from './part-notes.ts'
import { partsRecord, planRecord } from './plan-records.ts'
import type { WorkPlace } from './work-place.ts'

/** Output of the export machine. */
export interface Export {
  destination: { bucket: string; key: string }
  fileId: number
  bytes: number
  etag: string
  /** Of the whole object; S3 has checked it or worked it out. */
  checksum: { algorithm: 'CRC32'; value: string }
  versionId?: string | undefined
  parts: { copied: number; assembled: number }
  /** All other bytes were copied inside S3. */
  bytesThroughFunctions: number
}

/**
 * Completes the object and clears the work prefix. What this step needs to be repeated stays, and a lifecycle rule
 * removes it later. Throws `UserError` (`export.destinationExists`) when the destination may not be replaced.
 */
export const completeExport = async (work: WorkPlace): Promise<Export> => {
  const plan = await work.read('plan.json', planRecord)
  if (!plan) throw new Error('There is no plan to complete')
  const upload = { s3: work.s3, ...plan.destination, uploadId: plan.uploadId }

  const sealed = await work.read('sealed.json', partsRecord)
  const parts = sealed?.parts ?? (await withNotes(work, await listParts(upload)))
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0)
  const expectedParts = plan.parts.copied + plan.parts.assembled
  if (bytes !== plan.bytes || parts.length !== expectedParts) {
    throw new Error(
      `S3 has ${bytes} of ${plan.bytes} bytes in ${parts.length} of ${expectedParts} parts of the export`,
    )
  }
  if (!sealed) await work.write('sealed.json', { parts })

  const completed = await completeUpload(upload, parts, { mayReplace: plan.overwrite }).catch(
    (error: unknown) => {
      throw isPreconditionFailed(error) ? destinationExists(plan.destination, error) : error
    },
  )
  await work.clear(['plan.json', 'sealed.json'])
  return {
    destination: plan.destination,
    fileId: plan.fileId,
    bytes,
    etag: completed.etag,
    checksum: { algorithm: 'CRC32', value: completed.checksum },
    ...(completed.versionId === undefined ? {} : { versionId: completed.versionId }),
    parts: plan.parts,
    bytesThroughFunctions: plan.bytesThroughFunctions,
  }
}

const destinationExists = ({ bucket, key }: { bucket: string; key: string }, cause: unknown): UserError =>
  new UserError(
    'export.destinationExists',
    `There is an object ${key} in ${bucket} already, and "overwrite" is false.`,
    { cause },
  )
