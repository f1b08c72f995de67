const SHORTEST_WAIT_SECONDS = 1
const LONGEST_WAIT_SECONDS = 60

/** Waiting a quarter of the age so far finds the end at most a quarter too late, with a logarithmic number of polls. */
const SHARE_OF_AGE = 1 / 4

/** Seconds until the next look at a job that has been waited for this long. Whole seconds: Step Functions waits no fractions. */
export const waitSecondsAt = (ageSeconds: number): number =>
  Math.min(LONGEST_WAIT_SECONDS, Math.max(SHORTEST_WAIT_SECONDS, Math.floor(ageSeconds * SHARE_OF_AGE)))
