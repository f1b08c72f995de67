import {
  acceptedJob,
  type FinalJob,
  type JobError,
  type JobMetrics,
  type JobRecord,
  type ProcessingJob,
  type WaitingJob,
} from './job-record.ts'

interface JobOutcome {
  results: Record<string, unknown> | null
  metrics: JobMetrics
}

export interface OpenJobEnd {
  startTime: string
  at: Date
  outcome: JobOutcome
}

export const succeeded = (
  from: WaitingJob | ProcessingJob,
  { startTime, at, outcome }: OpenJobEnd,
): FinalJob => ({
  ...acceptedJob.parse(from),
  status: 'success',
  startTime: from.status === 'waiting' ? startTime : from.startTime,
  endTime: at.toISOString(),
  results: outcome.results,
  metrics: outcome.metrics,
})

export interface JobFailure {
  error: JobError
  results?: Record<string, unknown> | null
}

/** Only with what each job has, so that the stored one has no fields of another state. */
export const failed = (from: JobRecord, at: Date, { error, results = null }: JobFailure): FinalJob => ({
  ...acceptedJob.parse(from),
  status: 'error',
  startTime: from.status === 'waiting' ? null : from.startTime,
  endTime: at.toISOString(),
  results,
  error,
})
