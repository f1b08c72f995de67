import {
  DescribeExecutionCommand,
  type DescribeExecutionOutput,
  ExecutionAlreadyExists,
  type SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn'

interface NamedExecution {
  machineArn: string
  /** Step Functions keeps it taken for ninety days, so it makes a repeated start harmless. */
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

/** What Step Functions says of an execution. Error: `ExecutionDoesNotExist` when it never was or is forgotten. */
export const describeExecution = (
  client: SFNClient,
  execution: NamedExecution | { executionArn: string },
): Promise<DescribeExecutionOutput> =>
  client.send(new DescribeExecutionCommand({ executionArn: executionArnOf(execution) }))

const executionArnOf = (execution: NamedExecution | { executionArn: string }): string =>
  'executionArn' in execution
    ? execution.executionArn
    : `${execution.machineArn.replace(':stateMachine:', ':execution:')}:${execution.name}`

export const isUnderWay = ({ status }: Pick<DescribeExecutionOutput, 'status'>): boolean =>
  status === 'RUNNING' || status === 'PENDING_REDRIVE'
