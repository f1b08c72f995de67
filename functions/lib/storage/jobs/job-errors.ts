import type { ErrorCode } from '../../errors/codes.ts'
import type { UserError } from '../../errors/errors.ts'
import { createExceptionId } from '../../errors/exception-id.ts'
import { kindOf } from './job-kinds.ts'
import type { JobError, JobInput } from './job-record.ts'

/** The error of a job. What helps to correct the file is in the results too. */
export const jobFailure = ({ code, message, params }: UserError) => {
  const error: JobError = { code, message, exceptionId: createExceptionId(), contextParams: params }
  const { missingColumns, expectedColumns } = params
  return { error, results: missingColumns === undefined ? null : { missingColumns, expectedColumns } }
}

/**
 * The error that a job shows when the fault is ours. It never reveals the cause. `doubtful`: what was asked for may have been done, which
 * nobody could find out, unless it would be done with the end of the job alone.
 */
export const internalJobError = (exceptionId: string, doubtful?: JobInput): JobError => ({
  code: 'internalError' satisfies ErrorCode,
  message: `Internal error. ${doubtful && kindOf(doubtful).isDoneBefore ? mayBeDone(doubtful) : 'The job was not done.'} Quote ${exceptionId} when you report it.`,
  exceptionId,
  contextParams: {},
})

/** Whoever sends a load again that was done has its rows twice. */
const mayBeDone = (input: JobInput): string =>
  `The job may have been done: look at ${subjectOf(input)} before you send its request again.`

/** Where a person sees whether a job was done. */
const subjectOf = (input: JobInput): string => {
  if ('tableId' in input) return `the table "${input.tableId}"`
  if ('bucketId' in input) return `the bucket "${input.bucketId}"`
  return 'configId' in input ? `the runs of the configuration "${input.configId}"` : 'what it was to change'
}
