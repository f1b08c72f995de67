import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  type SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn'

/** How the run of a configuration stands; `output` is the text of what the machine gave. */
export type ExtractRun =
  | { status: 'running' }
  | { status: 'success'; output: string }
  | { status: 'error'; error: string; cause: string }

export interface ExtractRunInput {
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
  const nameOf = (jobId: number) => `run-${jobId}`

  return {
    start: async (jobId, run) => {
      const input = JSON.stringify({ ...run, trigger: `job ${jobId}` })
      const command = new StartExecutionCommand({ stateMachineArn: machineArn, name: nameOf(jobId), input })
      await client.send(command).catch((error: unknown) => {
        if (!(error instanceof ExecutionAlreadyExists)) throw error
      })
    },

    describe: async jobId => {
      const executionArn = `${machineArn.replace(':stateMachine:', ':execution:')}:${nameOf(jobId)}`
      const execution = await client.send(new DescribeExecutionCommand({ executionArn }))
      switch (execution.status) {
        case 'RUNNING':
        case 'PENDING_REDRIVE':
          return { status: 'running' }
        case 'SUCCEEDED':
          return { status: 'success', output: execution.output ?? '' }
        default:
          // Stopped by hand or timed out: Step Functions says why only if somebody told it.
          return {
            status: 'error',
            error: execution.error ?? `extraction.${String(execution.status).toLowerCase()}`,
            cause: execution.cause ?? 'The extraction was stopped.',
          }
      }
    },
  }
}
