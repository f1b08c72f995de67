import { createMeasure } from '../../lib/cloud/create-measure.ts'

/** What a job did, as it is counted: imports, exports and all others by their operation. */
interface CountedJob {
  operation: string
  isSuccess: boolean
  rows: number
  /** What it read and wrote; 0 when it failed. */
  bytes: number
  seconds: number
  /** From its request to its start. */
  waitSeconds: number
}

export type CountJob = (job: CountedJob) => void

export const createCountJob = (): CountJob => {
  const measure = createMeasure('jobs')
  return ({ operation, isSuccess, rows, bytes, seconds, waitSeconds }) =>
    measure(
      {
        JobSucceeded: isSuccess ? 1 : 0,
        JobFailed: isSuccess ? 0 : 1,
        JobRows: rows,
        JobBytes: bytes,
        JobSeconds: seconds,
        JobWaitSeconds: waitSeconds,
      },
      { dimensions: { operation } },
    )
}
