import type { DriveEnd } from './drive.ts'

/** How an execution ended; `details`: what a failure that the machine reports says besides. */
export type Outcome =
  | { readonly status: 'SUCCEEDED'; readonly output: string; readonly details?: undefined }
  | {
      readonly status: 'FAILED' | 'TIMED_OUT' | 'ABORTED'
      readonly error?: string | undefined
      readonly cause?: string | undefined
      readonly details?: unknown
    }

export const outcomeOf = (end: DriveEnd): Outcome =>
  end.status === 'SUCCEEDED'
    ? { status: 'SUCCEEDED', output: JSON.stringify(end.output) ?? 'null' }
    : { status: 'FAILED', error: end.failure.code, cause: end.failure.message, details: end.details }
