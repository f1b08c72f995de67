import { type AskedWait, executionOfJob } from '../lib/asked-wait.ts'
import type { Failure } from '../lib/errors/machine-failure.ts'
import { patientWait } from '../lib/patient-wait.ts'
import { waitSecondsAt } from '../lib/storage-client/wait-seconds-at.ts'
import type { NumberRange } from './move-ranges.ts'

/** A range of parts of an object version; `null`: the version that the event names. */
export type VersionRange = NumberRange & { versionId: string | null }

/** What became of the event. The state machine follows `started` and `alreadyStarted`; it asks again after `busy`. */
export type StartImportResult =
  | ({
      outcome: 'started' | 'alreadyStarted'
      jobId: number
      fileId: number
      tableId: string
      /** Newer versions of the key that were loaded again, because this one came late. */
      reloadedVersions: number
      /** Where an earlier import of the key may have failed: what a success of this one mends (lib/storage/failures). */
      mends?: { isIncremental: boolean; versionId: string | undefined } | undefined
      /** Until the first look at the job. */
    } & AskedWait)
  /** Another execution is importing this very object version. */
  | { outcome: 'duplicate'; execution: string }
  /** Another version of the key is under way, and this one comes after it. */
  | ({ outcome: 'busy' } & AskedWait)
  /** A newer version of this key, one that replaces the table, was loaded before this one came. */
  | { outcome: 'superseded'; by: string }
  /** It was imported so long ago that the record of it has expired. */
  | { outcome: 'alreadyImported' }
  /** A marker of a folder or of a program: nothing to import. */
  | { outcome: 'ignored'; reason: string }
  /** Several functions move the parts of these ranges; then the step comes again. */
  | { outcome: 'moving'; fileId: number; ranges: VersionRange[] }
  /** The parts that were asked for are there. */
  | { outcome: 'moved' }
  /** The lease was released after a failure. */
  | { outcome: 'released'; failure: Failure; details: FailedImport }

/** What the dead letter says of the file, as far as it can be read. */
export interface FailedImport {
  /** Whether it would have been added to its table. `null`: its key or its metadata say nothing that can be followed. */
  isIncremental?: boolean | null
  versionId?: string | undefined
}

/**
 * The result of an execution of this age: the longer it has waited, the longer it waits until it asks again. Among
 * thousands of files the hook itself comes late, and then the job waits behind others too.
 */
export const asPatientAs = (ageSeconds: number, result: StartImportResult): StartImportResult => {
  if (result.outcome === 'busy')
    return { ...result, waitSeconds: patientWait(result.waitSeconds, ageSeconds) }
  if (result.outcome !== 'started' && result.outcome !== 'alreadyStarted') return result
  return {
    ...result,
    waitSeconds: Math.max(result.waitSeconds, waitSecondsAt(ageSeconds)),
    waitsFor: [executionOfJob(result.jobId)],
  }
}

/** @param waitsFor name of the execution that is in the way, where it is known */
export const busy = (waitSeconds: number, waitsFor?: string): StartImportResult => ({
  outcome: 'busy',
  waitSeconds,
  ...(waitsFor !== undefined && { waitsFor: [waitsFor] }),
})
