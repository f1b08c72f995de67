import type { SFNClient } from '@aws-sdk/client-sfn'
import { describeExecution, isUnderWay, startExecution } from '../lib/aws/executions.ts'

/** How the run of a configuration stands; `output` is the text of what the machine gave. */
export type ExtractRun =
  | { status: 'running' }
  | { status: 'success'; output: string }
  | { status: 'error'; error: string; cause: string }

interface ExtractRunInput {
  componentId: string
  configId: string
  /** The token that asked for the job: the run has its rights. */
  authorTokenId: string
  /** As it was then. */
  configVersion: number
}

/** Runs of configurations, each of one job. */
export interface ExtractRuns {
  /** Starts the run of a job, or finds it started. */
  start(jobId: number, run: ExtractRunInput): Promise<void>
  describe(jobId: number): Promise<ExtractRun>
}

/** Runs of configurations as executions of the extract machine, each named after its job. */
export const createExtractRuns = (client: SFNClient, machineArn: string): ExtractRuns => {
  const executionOf = (jobId: number) => ({ machineArn, name: `run-${jobId}` })

  return {
    start: async (jobId, run) => {
      const input = { ...run, trigger: `job ${jobId}` }
      await startExecution(client, { ...executionOf(jobId), input })
    },

    describe: async jobId => {
      const execution = await describeExecution(client, executionOf(jobId))
      if (isUnderWay(execution)) return { status: 'running' }
      if (execution.status === 'SUCCEEDED') return { status: 'success', output: execution.output ?? '' }
      // Stopped by hand or timed out: Step Functions knows why only if somebody said it.
      return {
        status: 'error',
        error: execution.error ?? `extraction.${String(execution.status).toLowerCase()}`,
        cause: execution.cause ?? 'The extraction was stopped.',
      }
    },
  }
}
