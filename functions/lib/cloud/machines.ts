import type { DescribeExecutionOutput } from '@aws-sdk/client-sfn'

export interface NamedExecution {
  machineArn: string
  /** Step Functions reserves the name for ninety days. That makes a repeated start harmless. */
  name: string
}

/** An execution by its machine and name, or by its ARN. */
export type AnyExecution = NamedExecution | { executionArn: string }

export type Execution = Pick<
  DescribeExecutionOutput,
  'status' | 'startDate' | 'stopDate' | 'input' | 'output' | 'error' | 'cause'
>

interface ListedExecution {
  executionArn: string
  startDate: Date
}

/** The state machines: Step Functions in an account, their own runner on one machine. */
export interface Machines {
  /** Resolves to false when an execution of this name was started before. Error: `StateMachineDoesNotExist`. */
  start(execution: NamedExecution & { input: unknown }): Promise<boolean>
  /** Resolves to `undefined` for one that never existed, or is older than ninety days. */
  describe(execution: AnyExecution): Promise<Execution | undefined>
  /** One that is not there, or has ended, stays as it is. */
  stop(execution: NamedExecution, reason: { code: string; message: string }): Promise<void>
  /** Newest first, a thousand at most. `next` goes on after them. */
  list(
    machineArn: string,
    next?: string,
  ): Promise<{ executions: ListedExecution[]; next?: string | undefined }>
}

/** Takes an error of one of these names for nothing. */
export const unlessNamed =
  (...names: string[]) =>
  (error: unknown): undefined => {
    if (!(error instanceof Error) || !names.includes(error.name)) throw error
  }

export const executionArnOf = (execution: AnyExecution): string =>
  'executionArn' in execution
    ? execution.executionArn
    : `${execution.machineArn.replace(':stateMachine:', ':execution:')}:${execution.name}`

export const isUnderWay = (execution: Pick<Execution, 'status'> | undefined): boolean =>
  execution?.status === 'RUNNING' || execution?.status === 'PENDING_REDRIVE'

/** Whether an execution is running. One that Step Functions has forgotten, after ninety days, is not. */
export const createIsRunning =
  (machines: Pick<Machines, 'describe'>) =>
  async (executionArn: string): Promise<boolean> =>
    isUnderWay(await machines.describe({ executionArn }))
