import { executionName } from '../lib/cloud/execution-name.ts'
import { UserError } from '../lib/errors/errors.ts'
import { describeFailure, type Failure, type MachineFailure } from '../lib/errors/machine-failure.ts'
import type { LandedObject } from '../lib/landed-object.ts'
import {
  COMPONENT,
  type DescribedSource,
  describeSource,
  hasJob,
  type ImportAnswer,
  type StartImportDependencies,
} from './import-version.ts'
import { objectVersionId, type Progress, takeKey } from './key-records.ts'
import { targetOf } from './landing-target.ts'

/** After an import has failed for good: says why, leaves no parts of an unfinished move, and lets the next execution begin. */
export const giveUp = async (
  services: StartImportDependencies,
  landed: LandedObject,
  given: { execution: string; failure: MachineFailure; moved: string | null },
): Promise<ImportAnswer> => {
  const { execution, moved } = given
  // Nothing is known of an object that is gone.
  const found = await describeSource(services.s3, landed).catch(() => undefined)
  const versionId = landed.versionId ?? found?.source.versionId
  const taken = await takeKey(services, landed, { owner: execution, versionId: '' })
  const key = taken.outcome === 'taken' ? taken.key : undefined
  if (key) key.state.mayHaveFailed = true
  let isJobs = false
  try {
    if (versionId !== undefined)
      isJobs = await abandonOwn(services, objectVersionId({ ...landed, versionId }))
    // Newer versions are imported without the one whose parts could not be moved.
    if (key && moved !== null && moved !== versionId)
      await abandonMove(services, objectVersionId({ ...landed, versionId: moved }), { isSkipped: true })
  } finally {
    // The lease must be released even when there is more to clean up than can be done.
    await key?.release()
  }
  const failure = describeFailure(given.failure)
  // The event of a job would have said it.
  if (!isJobs) await reportFailure(services, { landed, execution, failure })
  return { next: 'failed', failure, details: found ? await describeFailed(services, found) : {} }
}

/** Resolves to whether the import had come to a job. */
const abandonOwn = async (services: StartImportDependencies, versionId: string): Promise<boolean> => {
  const { records, storage, log } = services
  const progress = await records.progress(versionId)
  if (hasJob(progress)) {
    await records.saveProgress(versionId, { ...progress, isFailureReported: true })
    return true
  }
  await abandonMove(services, versionId, {})
  const { fileId, isUploaded } = progress
  if (fileId === undefined || !isUploaded) return false
  // Died between the acceptance of its job and the note of it: the job runs on, and whoever tries again finds it by its file.
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
  services: StartImportDependencies,
  { source, metadata }: DescribedSource,
): Promise<{ isIncremental?: boolean | null; versionId?: string | undefined }> => {
  const { versionId } = source
  try {
    const { incremental } = await targetOf(source.key, metadata, services)
    return { isIncremental: incremental, versionId }
  } catch (error) {
    return error instanceof UserError && error.code.startsWith('landing.')
      ? { isIncremental: null }
      : { versionId }
  }
}

const reportFailure = async (
  { storage, log }: StartImportDependencies,
  given: { landed: LandedObject; execution: string; failure: Failure },
): Promise<void> => {
  const { landed, execution, failure: error } = given
  const { bucket, key, versionId = null } = landed
  const message = `Import of ${key} failed: ${error.message}`
  const params = { bucket, key, versionId, error }
  await storage
    .postEvent({ component: COMPONENT, type: 'error', message, params }, `${executionName(execution)}-end`)
    // The key must be released all the same, and the dead letter says it too.
    .catch((reason: unknown) => log.warn('event not sent', { reason: String(reason) }))
}
