import type { UserError } from '../lib/errors/errors.ts'
import { createExceptionId } from '../lib/errors/exception-id.ts'
import type { JobError } from '../lib/storage/jobs/job-record.ts'

/** The error of a job. What helps to correct the file is in the results too. */
export const jobFailure = ({ code, message, params }: UserError) => {
  const error: JobError = { code, message, exceptionId: createExceptionId(), contextParams: params }
  const { missingColumns, expectedColumns } = params
  return { error, results: missingColumns === undefined ? null : { missingColumns, expectedColumns } }
}
