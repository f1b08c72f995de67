import { Duration } from 'aws-cdk-lib'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import {
  Choice,
  Condition,
  DefinitionBody,
  JsonPath,
  Pass,
  StateMachine,
  Succeed,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'
import { TABLE_EXISTS_CODE } from '../functions/start-import/table-exists-code.ts'
import { catchAll, failurePath } from './failure-path.ts'
import { functionStep } from './function-step.ts'
import { waitForJob } from './wait-for-job.ts'

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
  const { startImport, pollJob, deadLetters } = props
  const event = {
    event: JsonPath.objectAt('$$.Execution.Input'),
    execution: JsonPath.stringAt('$$.Execution.Id'),
  }
  const giveTurnBack = functionStep(scope, 'GiveTurnBack', {
    runs: startImport,
    event: { ...event, failure: JsonPath.objectAt('$.failure') },
    resultPath: JsonPath.DISCARD,
  })
  const failed = failurePath(scope, { cleanUp: giveTurnBack, deadLetters, endsAs: 'ImportFailed' })
  const start = functionStep(scope, 'Start', { runs: startImport, event, resultPath: '$.import' })
  catchAll(start, failed)
  const job = waitForJob(scope, { pollJob, jobIdPath: '$.import.jobId', failed })

  const hasStarted = Condition.or(
    Condition.stringEquals('$.import.outcome', 'started'),
    Condition.stringEquals('$.import.outcome', 'alreadyStarted'),
  )
  start.next(
    new Choice(scope, 'HasStarted')
      .when(hasStarted, job.poll)
      .when(
        Condition.stringEquals('$.import.outcome', 'busy'),
        new Wait(scope, 'WaitForTurn', { time: WaitTime.secondsPath('$.import.waitSeconds') }).next(start),
      )
      .otherwise(new Succeed(scope, 'NothingToDo', { outputPath: '$.import' })),
  )
  job.hasEnded
    .when(
      job.hasSucceeded,
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
    .otherwise(job.jobFailed)

  return new StateMachine(scope, 'Machine', {
    definitionBody: DefinitionBody.fromChainable(start),
    timeout: LONGEST_IMPORT,
  })
}
