import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import {
  Choice,
  Condition,
  type IChainable,
  JsonPath,
  Pass,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'
import { catchAll } from './failure-path.ts'
import { functionStep } from './function-step.ts'

interface WaitForJobProps {
  readonly pollJob: IFunction
  /** JSONPath of the job's id. */
  readonly jobIdPath: string
  readonly failed: IChainable
}

/**
 * Polls a job of the storage service until it has ended. poll-job says how long to wait between two polls.
 *
 * The last poll is in `$.job`. The caller adds the states that follow `hasEnded`. `jobFailed` fails the execution with the
 * job's error.
 */
export const waitForJob = (scope: Construct, { pollJob, jobIdPath, failed }: WaitForJobProps) => {
  const poll = functionStep(scope, 'Poll', {
    runs: pollJob,
    event: {
      jobId: JsonPath.numberAt(jobIdPath),
      execution: JsonPath.stringAt('$$.Execution.Id'),
      since: JsonPath.stringAt('$$.Execution.StartTime'),
    },
    resultPath: '$.job',
  })
  catchAll(poll, failed)
  const hasEnded = new Choice(scope, 'HasEnded').when(
    Condition.booleanEquals('$.job.isFinished', false),
    new Wait(scope, 'WaitForJob', { time: WaitTime.secondsPath('$.job.waitSeconds') }).next(poll),
  )
  poll.next(hasEnded)
  const jobFailed = new Pass(scope, 'JobFailed', {
    parameters: {
      Error: JsonPath.stringAt('$.job.error.code'),
      Cause: JsonPath.stringAt('$.job.error.message'),
      JobId: JsonPath.numberAt(jobIdPath),
    },
    resultPath: '$.failure',
  }).next(failed)
  return { poll, hasEnded, jobFailed, hasSucceeded: Condition.stringEquals('$.job.status', 'success') }
}
