import type { MachineFailure } from '../lib/errors/machine-failure.ts'

/** `failure`: the step before failed for good, or the execution before is gone: the job is only closed. */
export interface RunJobEvent {
  jobId: number
  failure?: MachineFailure | undefined
}
