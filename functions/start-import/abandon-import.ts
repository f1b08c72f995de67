import type { StartImportDependencies } from './dependencies.ts'
import { describeSource } from './describe-source.ts'
import type { LandedObject } from './event.ts'
import { holdKey, type Progress } from './key-records.ts'
import { objectKeyId, objectVersionId, storedVersion } from './object-version.ts'

/**
 * After an execution has failed: leaves no parts of an unfinished move, and lets the next execution begin. Resolves to
 * whether the import had come to a job.
 */
export const abandonImport = async (
  dependencies: StartImportDependencies,
  landed: LandedObject,
  execution: string,
): Promise<{ hasJob: boolean }> => {
  const { records } = dependencies
  const keyId = objectKeyId(landed)
  const lease = await records.takeLease(keyId, { owner: execution, versionId: '' })
  const key =
    lease.outcome === 'taken'
      ? holdKey(records.leaseOf(keyId), { owner: execution, state: lease.content })
      : undefined
  try {
    const versionId = await identityOf(dependencies, landed)
    const hasJob = versionId !== undefined && (await abandonOwn(dependencies, versionId))
    const other = key?.state.moving
    if (other !== undefined) {
      await abandonMove(dependencies, objectVersionId({ ...landed, versionId: other }, ''), {
        isSkipped: true,
      })
      key?.change({ moving: undefined })
    }
    return { hasJob }
  } finally {
    // The lease must be released even when there is more to clean up than can be done.
    await key?.release()
  }
}

/** `undefined`: the object is gone, and nothing is known that could be cleaned up. */
const identityOf = async (
  { s3 }: StartImportDependencies,
  landed: LandedObject,
): Promise<string | undefined> => {
  if (landed.versionId !== undefined) return objectVersionId(landed, '')
  const found = await describeSource(s3, landed).catch(() => undefined)
  return found && objectVersionId({ ...landed, versionId: storedVersion(found.source) }, found.source.etag)
}

const abandonOwn = async (dependencies: StartImportDependencies, versionId: string): Promise<boolean> => {
  const progress = await dependencies.records.progress(versionId)
  const hasJob = progress.jobId !== undefined
  if (hasJob) await dependencies.records.saveProgress(versionId, { ...progress, isFailureReported: true })
  else await abandonMove(dependencies, versionId, {})
  return hasJob
}

/** Another attempt begins with a new file. */
const abandonMove = async (
  { storage, records, transfer }: StartImportDependencies,
  versionId: string,
  mark: Partial<Progress>,
): Promise<void> => {
  const { uploadId, fileId, ...progress } = await records.progress(versionId)
  if (uploadId === undefined || fileId === undefined || progress.isUploaded) return
  await transfer.abort(await storage.file(fileId), uploadId)
  await storage.deleteFile(fileId)
  await records.saveProgress(versionId, { ...progress, ...mark })
}
