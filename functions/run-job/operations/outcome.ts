import type { JobMetrics } from '../../lib/storage/jobs/job-record.ts'

/** What a job leaves to read when it succeeds. */
export interface Outcome {
  results: Record<string, unknown> | null
  metrics: JobMetrics
}

/** The work goes on elsewhere: look again in a while. */
export interface Pending {
  waitSeconds: number
}
