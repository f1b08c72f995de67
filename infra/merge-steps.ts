import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Choice, Condition, type IChainable, JsonPath, Wait, WaitTime } from 'aws-cdk-lib/aws-stepfunctions'
import type { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks'
import type { Construct } from 'constructs'
import { catchAll } from './failure-path.ts'
import { functionStep } from './function-step.ts'

interface MergeStepsProps {
  readonly mergeByQuery: IFunction
  /** Closes the job with what the user can do about it. Expects `$.refusal`. */
  readonly refuse: IChainable
  readonly failed: IChainable
  /** Runs the job again, which then finds its work done. */
  readonly next: IChainable
}

const MERGE = '$.merge'

/**
 * Start the query of a job -> wait -> check it, until it has ended -> adopt what it committed -> `next`. Resolves to the
 * first state.
 */
export const mergeSteps = (
  scope: Construct,
  { mergeByQuery, refuse, failed, next }: MergeStepsProps,
): IChainable => {
  const step = (name: string, event: Record<string, unknown>): LambdaInvoke => {
    const made = functionStep(scope, name, {
      runs: mergeByQuery,
      event: {
        ...event,
        jobId: JsonPath.numberAt('$.jobId'),
        correlationId: JsonPath.stringAt('$.run.correlationId'),
      },
      resultPath: MERGE,
    })
    made.addCatch(refuse, { errors: ['UserError'], resultPath: '$.refusal' })
    catchAll(made, failed)
    return made
  }
  const queryId = JsonPath.stringAt(`${MERGE}.queryId`)
  const start = step('StartMerge', { step: 'start' })
  const check = step('CheckMerge', { step: 'check', queryId })
  const adopt = step('AdoptMerge', { step: 'adopt', queryId })
  const wait = new Wait(scope, 'WaitForQuery', { time: WaitTime.secondsPath(`${MERGE}.waitSeconds`) })
  const isRunning = Condition.stringEquals(`${MERGE}.status`, 'running')
  start.next(new Choice(scope, 'HasQuery').when(isRunning, wait).otherwise(next))
  wait.next(check)
  check.next(new Choice(scope, 'IsQueryRunning').when(isRunning, wait).otherwise(adopt))
  adopt.next(next)
  return start
}
