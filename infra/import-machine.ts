import { Duration } from 'aws-cdk-lib'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import {
  Choice,
  Condition,
  DefinitionBody,
  Fail,
  JsonPath,
  Pass,
  StateMachine,
  Succeed,
  TaskInput,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions'
import { LambdaInvoke, SqsSendMessage } from 'aws-cdk-lib/aws-stepfunctions-tasks'
import type { Construct } from 'constructs'
import { TABLE_EXISTS_CODE } from '../functions/start-import/table-exists-code.ts'
import { withRetries } from './task-retries.ts'

export interface ImportMachineProps {
  readonly startImport: IFunction
  readonly pollJob: IFunction
  readonly deadLetters: IQueue
}

/** A day is far more than any import takes, and the life of the hook's turn on a key (functions/start-import). */
const LONGEST_IMPORT = Duration.days(1)

/**
 * start-import -> poll-job until the job has ended -> done, or a dead letter.
 *
 * The input is an "Object Created" event, or `{"bucket", "key"}`. The output is the last poll with the file and table.
 */
export const importMachine = (scope: Construct, props: ImportMachineProps): StateMachine => {
  const start = withRetries(
    new LambdaInvoke(scope, 'Start', {
      lambdaFunction: props.startImport,
      payload: TaskInput.fromObject({
        event: JsonPath.objectAt('$$.Execution.Input'),
        execution: JsonPath.stringAt('$$.Execution.Id'),
      }),
      payloadResponseOnly: true,
      retryOnServiceExceptions: false,
      resultPath: '$.import',
    }),
  )
  const poll = withRetries(
    new LambdaInvoke(scope, 'Poll', {
      lambdaFunction: props.pollJob,
      payload: TaskInput.fromObject({
        jobId: JsonPath.numberAt('$.import.jobId'),
        since: JsonPath.stringAt('$$.Execution.StartTime'),
      }),
      payloadResponseOnly: true,
      retryOnServiceExceptions: false,
      resultPath: '$.job',
    }),
  )
  const failed = failurePath(scope, props)
  start.addCatch(failed, { errors: ['States.ALL'], resultPath: '$.failure' })
  poll.addCatch(failed, { errors: ['States.ALL'], resultPath: '$.failure' })

  const jobFailed = new Pass(scope, 'JobFailed', {
    parameters: {
      Error: JsonPath.stringAt('$.job.error.code'),
      Cause: JsonPath.stringAt('$.job.error.message'),
    },
    resultPath: '$.failure',
  }).next(failed)

  const hasStarted = Condition.or(
    Condition.stringEquals('$.import.outcome', 'started'),
    Condition.stringEquals('$.import.outcome', 'alreadyStarted'),
  )
  start.next(
    new Choice(scope, 'HasStarted')
      .when(hasStarted, poll)
      .when(
        Condition.stringEquals('$.import.outcome', 'busy'),
        new Wait(scope, 'WaitForTurn', { time: WaitTime.secondsPath('$.import.waitSeconds') }).next(start),
      )
      .otherwise(new Succeed(scope, 'NothingToDo', { outputPath: '$.import' })),
  )
  poll.next(
    new Choice(scope, 'HasEnded')
      .when(
        Condition.booleanEquals('$.job.isFinished', false),
        new Wait(scope, 'WaitForJob', { time: WaitTime.secondsPath('$.job.waitSeconds') }).next(poll),
      )
      .when(
        Condition.stringEquals('$.job.status', 'success'),
        new Pass(scope, 'Imported', {
          parameters: {
            tableId: JsonPath.stringAt('$.import.tableId'),
            fileId: JsonPath.numberAt('$.import.fileId'),
            jobId: JsonPath.numberAt('$.import.jobId'),
            status: JsonPath.stringAt('$.job.status'),
            results: JsonPath.objectAt('$.job.results'),
          },
        }),
      )
      // Two files for one new table landed together and the other was first: import into what it created.
      .when(Condition.stringEquals('$.job.error.code', TABLE_EXISTS_CODE), start)
      .otherwise(jobFailed),
  )

  return new StateMachine(scope, 'Machine', {
    definitionBody: DefinitionBody.fromChainable(start),
    timeout: LONGEST_IMPORT,
  })
}

/** Gives the key's turn back, writes the dead letter, and ends the execution as failed. Expects `$.failure`. */
const failurePath = (scope: Construct, { startImport, deadLetters }: ImportMachineProps) => {
  const release = withRetries(
    new LambdaInvoke(scope, 'GiveTurnBack', {
      lambdaFunction: startImport,
      payload: TaskInput.fromObject({
        event: JsonPath.objectAt('$$.Execution.Input'),
        execution: JsonPath.stringAt('$$.Execution.Id'),
        failure: JsonPath.objectAt('$.failure'),
      }),
      payloadResponseOnly: true,
      retryOnServiceExceptions: false,
      resultPath: JsonPath.DISCARD,
    }),
  )
  const letter = new SqsSendMessage(scope, 'WriteDeadLetter', {
    queue: deadLetters,
    messageBody: TaskInput.fromObject({
      machine: JsonPath.stringAt('$$.StateMachine.Id'),
      execution: JsonPath.stringAt('$$.Execution.Id'),
      input: JsonPath.objectAt('$$.Execution.Input'),
      failure: JsonPath.objectAt('$.failure'),
    }),
    resultPath: JsonPath.DISCARD,
  })
  // A turn that is not given back expires by itself; the letter must be written all the same.
  release.addCatch(letter, { errors: ['States.ALL'], resultPath: JsonPath.DISCARD })
  release.next(letter)
  letter.next(new Fail(scope, 'ImportFailed', { errorPath: '$.failure.Error', causePath: '$.failure.Cause' }))
  return release
}
