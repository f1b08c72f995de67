import type { AnyExecution, Execution } from '../lib/cloud/machines.ts'
import type { ErrorCode } from '../lib/errors/codes.ts'
import { type Failure, readFailure } from '../lib/errors/machine-failure.ts'
import { readJson } from '../lib/json/read-json.ts'
import type { DeadLetterStore } from '../lib/storage/dead-letters/dead-letter-store.ts'
import { runExecution } from '../lib/storage/runs/run-execution.ts'
import type { RunRecords } from '../lib/storage/runs/run-records.ts'
import type { StatusChange } from './event.ts'

interface EndsServices {
  /** The machines of the system by their ARNs. */
  machineNames: ReadonlyMap<string, string>
  describe: (execution: AnyExecution) => Promise<Execution | undefined>
  /** Where the storage API lists runs and failures. Beside a hosted service nobody lists them. */
  records?:
    | { runs: Pick<RunRecords, 'begin' | 'end'>; deadLetters: Pick<DeadLetterStore, 'keep'> }
    | undefined
}

interface Kept {
  machine: string | undefined
  /** What somebody has to look at. */
  failure: Failure | undefined
}

/**
 * Keeps a run of a configuration, and what failed for good, where the storage API lists them. Repeated, or in another order,
 * it comes to the same.
 */
export const keepEnd = async (
  event: StatusChange,
  { machineNames, describe, records }: EndsServices,
): Promise<Kept> => {
  const detail = await wholeOf(event.detail, describe)
  const machine = machineNames.get(detail.stateMachineArn)
  if (machine === 'extract') {
    const run = runExecution.parse(detail)
    await (run.status === 'RUNNING' ? records?.runs.begin(run) : records?.runs.end(run))
  }
  const failure = failureOf(detail)
  if (machine === undefined || failure === undefined) return { machine, failure: undefined }
  const { code, message, details = withoutInput(detail) } = failure
  const letter = {
    machine,
    source: { machine: detail.stateMachineArn, execution: detail.executionArn },
    input: inputOf(detail.input),
    failure: { code, message },
    details,
    at: (detail.stopDate ?? detail.startDate).toISOString(),
  }
  await records?.deadLetters.keep(letter, detail.startDate.toISOString())
  return { machine, failure: letter.failure }
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
const failureOf = ({ status, error, cause }: Detail): ReturnType<typeof readFailure> | undefined => {
  if (status === 'RUNNING' || status === 'SUCCEEDED') return undefined
  const isCancelled = error === ('storage.jobs.cancelled' satisfies ErrorCode)
  if (status !== 'FAILED')
    return isCancelled ? undefined : { code: status, message: SILENT, details: undefined }
  const told = readFailure({ Error: error, Cause: cause })
  return told.details === undefined ? { code: status, message: SILENT, details: undefined } : told
}

const withoutInput = ({ input: _, startDate, stopDate, ...detail }: Detail): Record<string, unknown> => ({
  ...detail,
  startDate: startDate.toISOString(),
  ...(stopDate && { stopDate: stopDate.toISOString() }),
})

const inputOf = (text: string | undefined): Record<string, unknown> => {
  const input = readJson(text ?? '{}')
  return typeof input === 'object' && input !== null ? { ...input } : { input }
}
