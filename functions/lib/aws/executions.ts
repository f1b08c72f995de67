import {
  DescribeExecutionCommand,
  type DescribeExecutionOutput,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  type SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn'

interface NamedExecution {
  machineArn: string
  /** Step Functions reserves the name for ninety days. That makes a repeated start harmless. */
  name: string
}

/** Starts an execution; resolves to false when one of this name was started before. */
export const startExecution = async (
  client: SFNClient,
  { machineArn, name, input }: NamedExecution & { input: unknown },
): Promise<boolean> => {
  const text = JSON.stringify(input)
  try {
    await client.send(new StartExecutionCommand({ stateMachineArn: machineArn, name, input: text }))
    return true
  } catch (error) {
    if (error instanceof ExecutionAlreadyExists) return false
    throw error
  }
}

/** Stops an execution; one that is not there, or has ended, stays as it is. */
export const stopExecution = async (
  client: SFNClient,
  execution: NamedExecution,
  { code, message }: { code: string; message: string },
): Promise<void> => {
  try {
    const executionArn = executionArnOf(execution)
    await client.send(new StopExecutionCommand({ executionArn, error: code, cause: message }))
  } catch (error) {
    if (!(error instanceof ExecutionDoesNotExist)) throw error
  }
}

/** The state of an execution. Error: `ExecutionDoesNotExist` if it never existed or is older than ninety days. */
export const describeExecution = (
  client: SFNClient,
  execution: NamedExecution | { executionArn: string },
): Promise<DescribeExecutionOutput> =>
  client.send(new DescribeExecutionCommand({ executionArn: executionArnOf(execution) }))

export const executionArnOf = (execution: NamedExecution | { executionArn: string }): string =>
  'executionArn' in execution
    ? execution.executionArn
    : `${execution.machineArn.replace(':stateMachine:', ':execution:')}:${execution.name}`

export const isUnderWay = ({ status }: Pick<DescribeExecutionOutput, 'status'>): boolean =>
  status === 'RUNNING' || status === 'PENDING_REDRIVE'
