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

/** The machine has to do these parts of an export side by side; then the job runs again. */
export interface InParts {
  parts: number[]
}
