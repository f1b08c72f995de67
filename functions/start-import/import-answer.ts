import type { Answer } from '../lib/drive/step.ts'
import { waitSecondsAt } from '../lib/storage-client/wait-seconds-at.ts'
import type { Progress } from './key-records.ts'
import type { LandingTarget } from './landing-target.ts'

/** What becomes of an event, said beside what the machine does next. */
interface ImportOutput {
  readonly [key: string]: unknown
  readonly outcome: Outcome
}

type Outcome =
  /** A job is to load the version. */
  | 'started'
  /** An earlier event of the version has come to the job. */
  | 'alreadyStarted'
  /** Another execution is importing this very object version. */
  | 'duplicate'
  /** A newer version of this key, one that replaces the table, was loaded before this one came. */
  | 'superseded'
  /** It was imported so long ago that the record of it has expired. */
  | 'alreadyImported'
  /** A marker of a folder or of a program: nothing to import. */
  | 'ignored'

/** Done; again, since another execution works on the key or a job has to end first; wait for the job; parts to be moved; failed. */
export type ImportAnswer =
  | Exclude<Answer, { next: 'poll' | 'done' }>
  | { next: 'done'; output: ImportOutput }
  | JobAnswer

export type JobAnswer = Extract<Answer, { next: 'poll' }> & { output: ImportOutput }

/** @param waitsFor name of the execution that is in the way, where it is known */
export const again = (waitSeconds: number, waitsFor?: string): ImportAnswer => ({
  next: 'again',
  waitSeconds,
  ...(waitsFor !== undefined && { waitsFor: [waitsFor] }),
})

/** Waits for the job of the version. `undefined`: it has none yet. */
export const followJob = (
  { target: { tableId } }: { target: LandingTarget },
  outcome: 'started' | 'alreadyStarted',
  { jobId, fileId, reloadedVersions }: Pick<Progress, 'jobId' | 'fileId' | 'reloadedVersions'>,
  waitSeconds = waitSecondsAt(0),
): JobAnswer | undefined => {
  if (jobId === undefined || fileId === undefined) return undefined
  return {
    next: 'poll',
    jobId,
    waitSeconds,
    output: { outcome, tableId, fileId, jobId, reloadedVersions },
  }
}
