import type { JobMetrics } from '../../lib/storage/jobs/job-record.ts'

/** What a successful job stores. */
export interface Outcome {
  results: Record<string, unknown> | null
  metrics: JobMetrics
}

/** The work runs elsewhere: check again after this time. */
export interface Pending {
  waitSeconds: number
}
