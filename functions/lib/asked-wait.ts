/**
 * What a step asks of its state machine.
 *
 * Step Functions waits the seconds. On one machine the wait ends with the first of the executions that it is for.
 */
export interface AskedWait {
  waitSeconds: number
  /** Names of executions. Default: none, and the wait lasts its time. */
  waitsFor?: string[]
}

/** The result of a step that ended the work of executions which were not begun. On one machine it ends the waits for them. */
export interface EndsOthers {
  /** Names of executions. Default: none. */
  alsoEnded?: string[]
}

/** Name of the execution that runs a job of the storage service. */
export const executionOfJob = (jobId: number): string => `job-${jobId}`
