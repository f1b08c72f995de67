import { executionName } from '../lib/cloud/execution-name.ts'
import { UserError } from '../lib/errors/errors.ts'
import { describeFailure, type Failure, type MachineFailure } from '../lib/errors/machine-failure.ts'
import type { LandedObject } from '../lib/landed-object.ts'
import { COMPONENT, type StartImportDependencies } from './dependencies.ts'
import type { ImportAnswer } from './import-answer.ts'
import { targetOf } from './import-version.ts'
import { holdKey, type Progress } from './key-records.ts'
import { type DescribedSource, describeSource, objectKeyId, objectVersionId } from './object-version.ts'

/** After an import has failed for good: says why, leaves no parts of an unfinished move, and lets the next execution begin. */
export const giveUp = async (
  dependencies: StartImportDependencies,
  landed: LandedObject,
  { execution, failure: reported }: { execution: string; failure: MachineFailure },
): Promise<ImportAnswer> => {
  // Nothing is known of an object that is gone.
  const found = await describeSource(dependencies.s3, landed).catch(() => undefined)
  const hasJob = await abandonImport(dependencies, landed, { execution, found })
  const failure = describeFailure(reported)
  if (!hasJob) await reportFailure(dependencies, { landed, execution, failure })
  return { next: 'failed', failure, details: found ? await describeFailed(dependencies, found) : {} }
}

/** Resolves to whether the import had come to a job. */
const abandonImport = async (
  dependencies: StartImportDependencies,
  landed: LandedObject,
  { execution, found }: { execution: string; found: DescribedSource | undefined },
): Promise<boolean> => {
  const { records } = dependencies
  const keyId = objectKeyId(landed)
  const lease = await records.takeLease(keyId, { owner: execution, versionId: '' })
  const key =
    lease.outcome === 'taken'
      ? holdKey(records.leaseOf(keyId), { owner: execution, state: lease.content })
      : undefined
  key?.change({ mayHaveFailed: true })
  try {
    const { versionId = found?.source.versionId } = landed
    const hasJob =
      versionId !== undefined && (await abandonOwn(dependencies, objectVersionId({ ...landed, versionId })))
    const other = key?.state.moving
    if (other !== undefined) {
      const skipped = objectVersionId({ ...landed, versionId: other })
      await abandonMove(dependencies, skipped, { isSkipped: true })
      key?.change({ moving: undefined })
    }
    return hasJob
  } finally {
    // The lease must be released even when there is more to clean up than can be done.
    await key?.release()
  }
}

const abandonOwn = async (dependencies: StartImportDependencies, versionId: string): Promise<boolean> => {
  const progress = await dependencies.records.progress(versionId)
  if (progress.jobId === undefined) {
    await abandonMove(dependencies, versionId, {})
    return isAccepted(dependencies, progress)
  }
  await dependencies.records.saveProgress(versionId, { ...progress, isFailureReported: true })
  return true
}

/** Died between the acceptance of its job and the note of it: the job runs on, and whoever tries again finds it by its file. */
const isAccepted = async (
  { storage, log }: StartImportDependencies,
  { fileId, isUploaded }: Progress,
): Promise<boolean> => {
  if (fileId === undefined || !isUploaded) return false
  const job = await storage
    .findJobOfFile(fileId)
    .catch((error: unknown) => log.warn('job of file not looked for', { reason: String(error) }))
  return job !== undefined
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

/** What the dead letter says of the file. `null`: its key or its metadata say nothing that can be followed. */
const describeFailed = async (
  dependencies: StartImportDependencies,
  { source, metadata }: DescribedSource,
): Promise<{ isIncremental?: boolean | null; versionId?: string | undefined }> => {
  const { versionId } = source
  try {
    const { incremental } = await targetOf(source.key, metadata, dependencies)
    return { isIncremental: incremental, versionId }
  } catch (error) {
    return error instanceof UserError && error.code.startsWith('landing.')
      ? { isIncremental: null }
      : { versionId }
  }
}

interface ReportedImport {
  landed: LandedObject
  execution: string
  failure: Failure
}

/** An event for an import that failed before it came to a job: the event of the job would have said it. */
const reportFailure = (
  { storage, log }: Pick<StartImportDependencies, 'storage' | 'log'>,
  { landed: { bucket, key, versionId }, execution, failure: error }: ReportedImport,
): Promise<void> =>
  storage
    .postEvent(
      {
        component: COMPONENT,
        type: 'error',
        message: `Import of ${key} failed: ${error.message}`,
        params: { bucket, key, versionId: versionId ?? null, error },
      },
      `${executionName(execution)}-end`,
    )
    // The key must be released all the same, and the dead letter says it too.
    .catch((reason: unknown) => log.warn('event not sent', { reason: String(reason) }))
