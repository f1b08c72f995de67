import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { TaskInput } from 'aws-cdk-lib/aws-stepfunctions'
import { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks'
import type { Construct } from 'constructs'
import { withRetries } from './task-retries.ts'

export interface FunctionStepProps {
  readonly runs: IFunction
  /** The function's event. `JsonPath` values come from the state and the execution. */
  readonly event: Readonly<Record<string, unknown>>
  /** Where the function's result goes; `JsonPath.DISCARD` for nowhere. */
  readonly resultPath: string
}

/** A step that runs one of our functions, with the retries of `task-retries.ts`. */
export const functionStep = (
  scope: Construct,
  name: string,
  { runs, event, resultPath }: FunctionStepProps,
): LambdaInvoke =>
  withRetries(
    new LambdaInvoke(scope, name, {
      lambdaFunction: runs,
      payload: TaskInput.fromObject(event),
      payloadResponseOnly: true,
      // CDK's own list of errors; ours is in task-retries.ts.
      retryOnServiceExceptions: false,
      resultPath,
    }),
  )
