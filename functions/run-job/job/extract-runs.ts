import { isUnderWay, type Machines } from '../../lib/cloud/machines.ts'
import { UserError } from '../../lib/errors/errors.ts'
import { describeFailure, type Failure } from '../../lib/errors/machine-failure.ts'
import type { InputOf } from '../../lib/storage/jobs/job-record.ts'
import { runOfJob } from '../../lib/wire/run-body.ts'

/** State of a configuration's run. `output`: the text that the machine returned. */
export type ExtractRun =
  /** `execution`: its name. */
  | { status: 'running'; execution: string }
  | { status: 'success'; output: string }
  | ({ status: 'error' } & Failure)

interface ExtractRunInput extends Omit<InputOf<'configurationRun'>, 'operationName'> {
  /** The token that asked for the job. The run may do no more than that. */
  authorTokenId: string
  /** What the author saw. */
  configVersion?: number
  /** The branch that it runs in. Default: the default branch. */
  branchId?: number
}

/** Runs of configurations, each of one job. */
export interface ExtractRuns {
  /** Starts the run of a job. Idempotent.  */
  start(jobId: number, run: ExtractRunInput): Promise<void>
  describe(jobId: number): Promise<ExtractRun>
  /** Stops the run for this reason. Throws a reason that is no `UserError`. */
  stop(jobId: number, reason: unknown): Promise<void>
}

/** Runs of configurations as executions of the extract machine, named after their jobs. */
export const createExtractRuns = (machines: Omit<Machines, 'list'>, machineArn: string): ExtractRuns => {
  const executionOf = (jobId: number) => ({ machineArn, name: runOfJob(jobId) })

  return {
    start: async (jobId, run) => {
      const input = { trigger: `job ${jobId}`, ...run, jobId }
      await machines.start({ ...executionOf(jobId), input })
    },

    stop: async (jobId, reason) => {
      if (!(reason instanceof UserError)) throw reason
      await machines.stop(executionOf(jobId), reason)
    },

    describe: async jobId => {
      const named = executionOf(jobId)
      const execution = await machines.describe(named)
      if (execution === undefined) throw new Error(`There is no execution ${named.name}`)
      if (isUnderWay(execution)) return { status: 'running', execution: named.name }
      if (execution.status === 'SUCCEEDED') return { status: 'success', output: execution.output ?? '' }
      // Stopped by hand or timed out: then Step Functions may know no reason.
      const { error, cause, status } = execution
      const failure = describeFailure({
        Error: error ?? `extraction.${String(status).toLowerCase()}`,
        Cause: cause ?? 'The extraction was stopped.',
      })
      return { status: 'error', ...failure }
    },
  }
}
