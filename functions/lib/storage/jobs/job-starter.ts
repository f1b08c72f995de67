import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  type SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn'

/** `ended`: this job was started before and its execution is over. */
export type StartResult = 'running' | 'ended'

/**
 * Starts the state machine's execution of a job. An execution is named after its job, so that starting twice is
 * harmless and a job that somebody accepted and nobody started can be started by whoever waits for it.
 */
export type StartJob = (jobId: number) => Promise<StartResult>

export const executionName = (jobId: number): string => `job-${jobId}`

export const createJobStarter =
  (client: SFNClient, machineArn: string): StartJob =>
  async jobId => {
    const name = executionName(jobId)
    try {
      await client.send(
        new StartExecutionCommand({ stateMachineArn: machineArn, name, input: JSON.stringify({ jobId }) }),
      )
      return 'running'
    } catch (error) {
      if (!(error instanceof ExecutionAlreadyExists)) throw error
    }
    // Step Functions answers a repeat with the same input while the execution runs and refuses it afterwards (API
    // Reference, StartExecution); asked all the same, because "refused" must not be taken for "ended" by an emulator.
    const executionArn = `${machineArn.replace(':stateMachine:', ':execution:')}:${name}`
    const { status } = await client.send(new DescribeExecutionCommand({ executionArn }))
    return status === 'RUNNING' || status === 'PENDING_REDRIVE' ? 'running' : 'ended'
  }
