/** A hundredth of the age is noticed by nobody, and bounds the waits of a loop by the logarithm of its time. */
const SHARE_OF_LOOP = 1 / 100

/**
 * Seconds that a loop of a state machine waits before its next look: as many as it wants, and more when it has gone on
 * for long.
 *
 * Each look adds some nine events to the history of the execution, which ends at 25,000 (Step Functions quotas).
 */
export const patientWait = (wantedSeconds: number, ageSeconds: number): number =>
  Math.max(wantedSeconds, Math.floor(ageSeconds * SHARE_OF_LOOP))
