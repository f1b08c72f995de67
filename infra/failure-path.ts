import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import {
  type CatchProps,
  Fail,
  type IChainable,
  JsonPath,
  TaskInput,
  type TaskStateBase,
} from 'aws-cdk-lib/aws-stepfunctions'
import { SqsSendMessage } from 'aws-cdk-lib/aws-stepfunctions-tasks'
import type { Construct } from 'constructs'

export interface FailurePathProps {
  /** Cleans up after the failed execution. */
  readonly cleanUp: TaskStateBase
  readonly deadLetters: IQueue
  /** Name of the state in which the execution ends. */
  readonly endsAs: string
}

/** Clean up -> write the dead letter -> end as failed. Expects `$.failure` with `Error` and `Cause`. */
export const failurePath = (
  scope: Construct,
  { cleanUp, deadLetters, endsAs }: FailurePathProps,
): TaskStateBase => {
  const deadLetter = new SqsSendMessage(scope, 'WriteDeadLetter', {
    queue: deadLetters,
    messageBody: TaskInput.fromObject({
      machine: JsonPath.stringAt('$$.StateMachine.Id'),
      execution: JsonPath.stringAt('$$.Execution.Id'),
      input: JsonPath.objectAt('$$.Execution.Input'),
      failure: JsonPath.objectAt('$.failure'),
    }),
    resultPath: JsonPath.DISCARD,
  })
  deadLetter.next(new Fail(scope, endsAs, { errorPath: '$.failure.Error', causePath: '$.failure.Cause' }))
  cleanUp.next(deadLetter)
  // The dead letter must be written even when the clean-up fails.
  cleanUp.addCatch(deadLetter, { errors: ['States.ALL'], resultPath: JsonPath.DISCARD })
  return cleanUp
}

/** Leads every error of a step to the failure path. */
export const catchAll = (
  step: { addCatch(handler: IChainable, props?: CatchProps): unknown },
  failed: TaskStateBase,
): void => void step.addCatch(failed, { errors: ['States.ALL'], resultPath: '$.failure' })
