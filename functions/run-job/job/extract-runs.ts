import type { SFNClient } from '@aws-sdk/client-sfn'
import { describeExecution, isUnderWay, startExecution, stopExecution } from '../../lib/aws/executions.ts'
import { UserError } from '../../lib/errors/errors.ts'
import { NONE } from '../../lib/none.ts'
import { type Decision, decisionName } from '../../lib/wire/decision-name.ts'

/** State of a configuration's run. `output`: the text that the machine returned. */
export type ExtractRun =
  /** `execution`: its name. */
  | { status: 'running'; execution: string }
  | { status: 'success'; output: string }
  | { status: 'error'; error: string; cause: string }

interface ExtractRunInput {
  componentId: string
  configId: string
  /** The token that asked for the job. The run may do no more than that. */
  authorTokenId: string
  /** The tokens that stored the trigger of the job, which bound it too. */
  tokenIds?: readonly string[] | undefined
  configVersion: number
  /** The branch that it runs in. Default: the default branch. */
  branchId?: number
  /** The run whose tables are approved or rejected. */
  decides?: string | undefined
  decision?: Decision | undefined
}

/** Runs of configurations, each of one job. */
export interface ExtractRuns {
  /** Starts the run of a job. Idempotent. Throws `UserError` (`storage.components.notRunnable`) in a stack without extractions. */
  start(jobId: number, run: ExtractRunInput): Promise<void>
  /** @param decides as in the input of the run */
  describe(jobId: number, decides?: string): Promise<ExtractRun>
  /** Stops the run for this reason. Throws a reason that is no `UserError`. */
  stop(jobId: number, reason: unknown, decides?: string): Promise<void>
}

/** Runs of configurations as executions of the extract machine, named after their jobs. */
export const createExtractRuns = (client: SFNClient, machineArn: string): ExtractRuns => {
  // Of two decisions about a run the first counts, whichever job asked for it
  const executionOf = (jobId: number, decides: string | undefined) => ({
    machineArn,
    name: decides === undefined ? `run-${jobId}` : decisionName(decides),
  })

  return {
    start: async (jobId, run) => {
      if (machineArn === NONE)
        throw new UserError(
          'storage.components.notRunnable',
          'This deployment has the storage service alone: it runs no configurations.',
        )
      const input = { ...run, trigger: `job ${jobId}` }
      await startExecution(client, { ...executionOf(jobId, run.decides), input })
    },

    stop: async (jobId, reason, decides) => {
      if (!(reason instanceof UserError)) throw reason
      await stopExecution(client, executionOf(jobId, decides), reason)
    },

    describe: async (jobId, decides) => {
      const named = executionOf(jobId, decides)
      const execution = await describeExecution(client, named)
      if (isUnderWay(execution)) return { status: 'running', execution: named.name }
      if (execution.status === 'SUCCEEDED') return { status: 'success', output: execution.output ?? '' }
      // Stopped by hand or timed out: then Step Functions may know no reason.
      return {
        status: 'error',
        error: execution.error ?? `extraction.${String(execution.status).toLowerCase()}`,
        cause: execution.cause ?? 'The extraction was stopped.',
      }
    },
  }
}
