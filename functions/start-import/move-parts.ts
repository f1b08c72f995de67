import { UserError } from '../lib/errors/errors.ts'
import type { StartImportDependencies } from './dependencies.ts'
import { describeSource } from './describe-source.ts'
import type { LandedObject, PartsToMove } from './event.ts'
import { objectVersionId, storedVersion } from './object-version.ts'
import type { StartImportResult } from './start-import-result.ts'

/** Throws `UserError` (`source.changed`) when the object is no longer the one whose move was begun. */
export const moveParts = async (
  { s3, storage, records, transfer }: StartImportDependencies,
  landed: LandedObject,
  { versionId: other, ...range }: PartsToMove,
): Promise<StartImportResult> => {
  const object = { ...landed, versionId: other ?? landed.versionId }
  const { source } = await describeSource(s3, object)
  const versionId = objectVersionId({ ...object, versionId: storedVersion(source) }, source.etag)
  const { fileId, uploadId, isUploaded } = await records.progress(versionId)
  if (isUploaded) return { outcome: 'moved' }
  if (fileId === undefined || uploadId === undefined) {
    throw new UserError('source.changed', `The object ${source.key} was replaced while it was moved.`)
  }
  await transfer.moveRange(source, await storage.file(fileId), uploadId, range)
  return { outcome: 'moved' }
}
