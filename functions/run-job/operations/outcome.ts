import type { AskedWait } from '../../lib/asked-wait.ts'
import type { JobMetrics } from '../../lib/storage/jobs/job-record.ts'

/** What a successful job stores. */
export interface Outcome {
  results: Record<string, unknown> | null
  /** Default: none. */
  metrics?: JobMetrics
  /** Jobs that this one ended before itself: it did their work too, or took away what they were for. Default: none. */
  alsoEnded?: number[]
}

/** The work runs elsewhere: check again after this time. */
export type Pending = AskedWait

/** The machine has to do these parts of an export side by side; then the job runs again. */
export interface InParts {
  parts: number[]
}
