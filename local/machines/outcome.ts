import type { DriveEnd } from './drive.ts'

/** How an execution ended. */
export type Outcome =
  | { readonly status: 'SUCCEEDED'; readonly output: string }
  | {
      readonly status: 'FAILED' | 'TIMED_OUT' | 'ABORTED'
      readonly error?: string | undefined
      readonly cause?: string | undefined
    }

export const outcomeOf = (end: DriveEnd): Outcome =>
  end.status === 'SUCCEEDED' ? { status: 'SUCCEEDED', output: JSON.stringify(end.output) ?? 'null' } : end
