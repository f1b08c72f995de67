import type { AnyExecution, Execution } from '../lib/cloud/machines.ts'
import type { ErrorCode } from '../lib/errors/codes.ts'
import { type Failure, readFailure } from '../lib/errors/machine-failure.ts'
import { readJson } from '../lib/json/read-json.ts'
import type { FailureStore } from '../lib/storage/failures/failure-store.ts'
import { type Ended, failedSubject, jobOf, mendedSubjects } from '../lib/storage/failures/subject.ts'
import { isFinal } from '../lib/storage/jobs/job-record.ts'
import type { JobStore } from '../lib/storage/jobs/job-store.ts'
import { closingExecution } from '../lib/storage/jobs/start-next.ts'
import type { StatusChange } from './event.ts'

interface EndsServices {
  /** The machines of the system by their ARNs. */
  machineNames: ReadonlyMap<string, string>
  describe: (execution: AnyExecution) => Promise<Execution | undefined>
  /** Where the storage API lists failures. Beside a hosted service nobody lists them. */
  records?:
    | {
        failures: Pick<FailureStore, 'keep' | 'mend'>
        jobs: Pick<JobStore, 'get'>
      }
    | undefined
}

interface Kept {
  machine: string | undefined
  /** What somebody has to look at. */
  failure: Failure | undefined
}

/**
 * Keeps what failed for good where the storage API lists it; a success removes what failed before. Repeated, or in another order, it comes to the same.
 */
export const keepEnd = async (
  event: StatusChange,
  { machineNames, describe, records }: EndsServices,
): Promise<Kept> => {
  const detail = await wholeOf(event.detail, describe)
  const machine = machineNames.get(detail.stateMachineArn)
  if (machine === undefined) return { machine, failure: undefined }
  const { name, startDate, stopDate = startDate } = detail
  const ended = { machine, name, startDate, stopDate, input: readJson(detail.input ?? '{}') }
  if (detail.status === 'SUCCEEDED')
    for (const subject of mendedSubjects(ended, readJson(detail.output ?? 'null')))
      await records?.failures.mend(subject)
  const told = failureOf(machine, detail)
  if (told === undefined || (await isSaidByJob(ended, records?.jobs))) return { machine, failure: undefined }
  const { code, message, details = withoutInput(detail) } = told
  const failure = {
    machine,
    source: { machine: detail.stateMachineArn, execution: detail.executionArn },
    input: recordOf(ended.input),
    failure: { code, message },
    details,
    at: stopDate.toISOString(),
  }
  await records?.failures.keep(failure, failedSubject(ended, details))
  return { machine, failure: failure.failure }
}

/** A job that is done has not failed, whatever became of its execution. One that is open is closed by another execution, which tells the end of it. */
const isSaidByJob = async (ended: Ended, jobs: Pick<JobStore, 'get'> | undefined): Promise<boolean> => {
  const jobId = jobOf(ended)
  const job = jobId === undefined ? undefined : await jobs?.get(jobId)
  if (job === undefined) return false
  return job.status === 'success' || !(isFinal(job) || ended.name === closingExecution(job.id))
}

type Detail = StatusChange['detail']

/** An execution that is older than ninety days is known by its event alone. */
const wholeOf = async (detail: Detail, describe: EndsServices['describe']): Promise<Detail> => {
  const isWhole = detail.inputDetails?.included !== false && detail.outputDetails?.included !== false
  const known = isWhole ? undefined : await describe({ executionArn: detail.executionArn })
  return { ...detail, input: known?.input ?? detail.input, output: known?.output ?? detail.output }
}

const SILENT =
  'The execution ended before it could report a failure: it was stopped, ran out of time, or met a limit of Step Functions. ' +
  'The details are the event of its end.'

/** None for a success, nor for what somebody has cancelled. A file whose job was cancelled is not in its table: that is one. */
const failureOf = (
  machine: string,
  { status, error, cause }: Detail,
): ReturnType<typeof readFailure> | undefined => {
  if (status === 'SUCCEEDED') return undefined
  const isCancelled = error === ('storage.jobs.cancelled' satisfies ErrorCode)
  if (isCancelled && (status !== 'FAILED' || machine === 'extract')) return undefined
  if (status !== 'FAILED') return { code: status, message: SILENT, details: undefined }
  const told = readFailure({ Error: error, Cause: cause })
  return told.details === undefined ? { code: status, message: SILENT, details: undefined } : told
}

const withoutInput = ({ input: _, startDate, stopDate, ...detail }: Detail): Record<string, unknown> => ({
  ...detail,
  startDate: startDate.toISOString(),
  ...(stopDate && { stopDate: stopDate.toISOString() }),
})

const recordOf = (input: unknown): Record<string, unknown> =>
  typeof input === 'object' && input !== null ? { ...input } : { input }
