import { executionName } from '../lib/cloud/execution-name.ts'
import { UserError } from '../lib/errors/errors.ts'
import { describeFailure, type Failure } from '../lib/errors/machine-failure.ts'
import type { LandedObject } from '../lib/landed-object.ts'
import { waitSecondsAt } from '../lib/storage-client/wait-seconds-at.ts'
import { COMPONENT, type StartImportDependencies } from './dependencies.ts'
import { describeSource } from './describe-source.ts'
import type { PartsToMove, StartImportEvent } from './event.ts'
import { importInOrder } from './import-in-order.ts'
import { importVersion, type OwnVersion, targetOf } from './import-version.ts'
import { isWantedAgain, jobEnd } from './job-end.ts'
import {
  type HeldKey,
  holdKey,
  type KeyLease,
  type KeyState,
  nextAttempt,
  type Progress,
} from './key-records.ts'
import { whyIgnored } from './landing-target.ts'
import { objectKeyId, objectVersionId, storedVersion } from './object-version.ts'
import { asPatientAs, busy, type FailedImport, type StartImportResult } from './start-import-result.ts'

/** Long enough for a short import to end, short enough that nobody notices. */
const LEASE_WAIT_SECONDS = 2

/**
 * Makes one job of one object version, however often and in whatever order events of it come, after those of the older
 * versions of its key.
 *
 * Throws `UserError` when the key, the metadata or the object is at fault, `TransientError` when the service is.
 */
export const startImport = async (
  dependencies: StartImportDependencies,
  event: StartImportEvent,
): Promise<StartImportResult> => {
  const now = dependencies.now()
  const ageSeconds = (now.getTime() - (event.since ?? now).getTime()) / 1000
  return asPatientAs(ageSeconds, await takeStep(dependencies, event))
}

const takeStep = async (
  dependencies: StartImportDependencies,
  { event: landed, execution, failure, move }: StartImportEvent,
): Promise<StartImportResult> => {
  const { s3, records } = dependencies
  const reason = whyIgnored(landed.key)
  if (reason !== undefined) return { outcome: 'ignored', reason }
  if (failure) {
    const { hasJob } = await abandonImport(dependencies, landed, execution)
    const described = describeFailure(failure)
    if (!hasJob) await reportFailure(dependencies, { landed, execution, failure: described })
    return { outcome: 'released', failure: described, details: await describeFailed(dependencies, landed) }
  }
  if (move) return moveParts(dependencies, landed, move)

  const { source, metadata } = await describeSource(s3, landed)
  const target = await targetOf(landed.key, metadata, dependencies)
  const versionId = objectVersionId({ ...landed, versionId: storedVersion(source) }, source.etag)
  const own = { source, target, versionId }

  const keyId = objectKeyId(landed)
  const lease = await records.takeLease(keyId, { owner: execution, versionId })
  if (lease.outcome === 'held') return whileHeld(dependencies, own, lease.by)

  const key = holdKey(records.leaseOf(keyId), { owner: execution, state: lease.content })
  const stored = storedVersion(source)
  const result =
    stored === undefined
      ? await importContent(dependencies, key, own)
      : await importInOrder({ dependencies, key, own, landed: { ...landed, versionId: stored } })
  const isFirst =
    result.outcome !== 'alreadyStarted' && lease.deadOwner === undefined && !lease.content.content
  if (!isFirst) key.change({ mayHaveFailed: true })
  // Nobody else may begin while parts are on their way.
  if (result.outcome === 'moving') await key.save()
  else await key.release()
  return key.state.mayHaveFailed ? withMends(dependencies, own, result) : result
}

/** What its success mends, where anything of the key may have failed. */
const withMends = async (
  { records }: StartImportDependencies,
  { source, target, versionId }: OwnVersion,
  result: StartImportResult,
): Promise<StartImportResult> => {
  if (!('jobId' in result)) return result
  const { isIncremental = target.incremental } = await records.progress(versionId)
  return { ...result, mends: { isIncremental, versionId: storedVersion(source) } }
}

/** Another execution works on the key: it may have imported this version already. */
const whileHeld = async (
  dependencies: StartImportDependencies,
  own: OwnVersion,
  by: KeyLease,
): Promise<StartImportResult> => {
  const { records, storage } = dependencies
  const { versionId, target } = own
  if (by.versionId === versionId) return { outcome: 'duplicate', execution: by.owner }
  const { fileId, jobId, reloadedVersions } = await records.progress(versionId)
  if (fileId === undefined || jobId === undefined) return busy(LEASE_WAIT_SECONDS, executionName(by.owner))
  const end = await jobEnd(storage, jobId)
  if (end === 'error' || end === 'tableExists') return busy(LEASE_WAIT_SECONDS, executionName(by.owner))
  return withMends(dependencies, own, {
    outcome: 'alreadyStarted',
    jobId,
    fileId,
    tableId: target.tableId,
    waitSeconds: waitSecondsAt(0),
    reloadedVersions,
  })
}

/** Throws `UserError` (`source.changed`) when the object is no longer the one whose move was begun. */
const moveParts = async (
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
    throw new UserError('source.changed', `The object ${source.key} was replaced meanwhile.`)
  }
  await transfer.moveRange(source, await storage.file(fileId), uploadId, range)
  return { outcome: 'moved' }
}

/** Nothing is known of an object that is gone, or while the service does not answer. */
const describeFailed = async (
  dependencies: StartImportDependencies,
  landed: LandedObject,
): Promise<FailedImport> => {
  const found = await describeSource(dependencies.s3, landed).catch(() => undefined)
  if (found === undefined) return {}
  const versionId = storedVersion(found.source)
  try {
    const { incremental } = await targetOf(landed.key, found.metadata, dependencies)
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

/**
 * After an execution has failed: leaves no parts of an unfinished move, and lets the next execution begin. Resolves to
 * whether the import had come to a job.
 */
const abandonImport = async (
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
  key?.change({ mayHaveFailed: true })
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
  return hasJob || (await isAccepted(dependencies, progress))
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

/**
 * Imports an object whose bucket keeps no versions. Whatever event tells of it, what can be read is the newest content,
 * so contents are imported in order; one that was overwritten before anybody read it is lost to us.
 */
const importContent = async (
  dependencies: StartImportDependencies,
  key: HeldKey,
  { versionId, source, target }: OwnVersion,
): Promise<StartImportResult> => {
  const { round } = key.state
  const saved = await dependencies.records.progress(versionId)
  const isAgain = isBack(key.state, versionId, saved) || (await isWantedAgain(dependencies, saved))
  const progress = isAgain
    ? nextAttempt(saved, round)
    : { ...saved, round: saved.jobId ? saved.round : round }
  const { fileId, jobId, reloadedVersions } = progress
  const isStarted = fileId !== undefined && jobId !== undefined
  const begun = isStarted
    ? { outcome: 'alreadyStarted' as const, fileId, jobId, waitSeconds: waitSecondsAt(0) }
    : await importVersion(dependencies, { source, target, versionId, progress })
  if (begun.outcome === 'moving') {
    return { ...begun, ranges: begun.ranges.map(range => ({ ...range, versionId: null })) }
  }
  if (key.state.content !== versionId) key.change({ content: versionId, round: round + 1 })
  return {
    outcome: isStarted ? 'alreadyStarted' : 'started',
    jobId: begun.jobId,
    fileId: begun.fileId,
    tableId: target.tableId,
    waitSeconds: begun.waitSeconds,
    reloadedVersions,
  }
}

/** The same content as once before, and another one in between: somebody has written it anew. */
const isBack = ({ content, round }: KeyState, versionId: string, progress: Progress): boolean =>
  progress.jobId !== undefined && content !== undefined && content !== versionId && progress.round !== round
