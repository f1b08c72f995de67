import { patientWait } from '../patient-wait.ts'

const SHORTEST_WAIT_SECONDS = 1
/** Of the first hour and a half. */
const LONGEST_WAIT_SECONDS = 60

/** Waiting a quarter of the age so far notices the end at most a quarter late, with few polls. */
const SHARE_OF_AGE = 1 / 4

/** Of a job that has not begun: others come before it, and among thousands of files most polls would come too early. */
const SHARE_BEFORE_BEGIN = 1 / 2

/** What a service advises is believed up to this. */
const LONGEST_ADVICE_SECONDS = 5 * 60

/**
 * Seconds until the next poll of a job of this age; longer when the service advises so (`Retry-After`). Whole seconds:
 * Step Functions waits no fractions.
 */
export const waitSecondsAt = (ageSeconds: number, adviceSeconds = 0, share = SHARE_OF_AGE): number =>
  Math.max(
    Math.min(LONGEST_ADVICE_SECONDS, adviceSeconds),
    patientWait(
      Math.min(LONGEST_WAIT_SECONDS, Math.max(SHORTEST_WAIT_SECONDS, Math.floor(ageSeconds * share))),
      ageSeconds,
    ),
  )

/** The same for a job that waits for others. */
export const waitSecondsBeforeBegin = (ageSeconds: number, adviceSeconds = 0): number =>
  waitSecondsAt(ageSeconds, adviceSeconds, SHARE_BEFORE_BEGIN)
