import { Duration } from 'aws-cdk-lib'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import {
  Choice,
  Condition,
  DefinitionBody,
  type IChainable,
  JsonPath,
  Map as MapState,
  Pass,
  StateMachine,
  Succeed,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'
import { TABLE_EXISTS_CODE } from '../functions/lib/storage-client/table-exists-code.ts'
import { type DeadLetterPlaces, redriveCommand } from './dead-letter-step.ts'
import { catchAll, failurePath } from './failure-path.ts'
import { functionStep } from './function-step.ts'
import { machineLogs } from './machine-logs.ts'
import { waitForJob } from './wait-for-job.ts'

interface ImportMachineProps {
  readonly startImport: IFunction
  readonly pollJob: IFunction
  readonly deadLetters: DeadLetterPlaces
}

/** Far more than any import takes. */
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
    since: JsonPath.stringAt('$$.Execution.StartTime'),
  }
  const failed = failurePath(scope, {
    cleanUp: {
      name: 'ReleaseKey',
      runs: startImport,
      event: { ...event, failure: JsonPath.objectAt('$.failure') },
    },
    deadLetter: { machine: 'import', ...deadLetters, redrive: redriveCommand('import') },
    endsAs: 'ImportFailed',
    hasDetails: true,
  })
  const start = functionStep(scope, 'Start', { runs: startImport, event, resultPath: '$.import' })
  catchAll(start, failed)
  const job = waitForJob(scope, { pollJob, jobIdPath: '$.import.jobId', failed })

  const hasStarted = Condition.or(
    Condition.stringEquals('$.import.outcome', 'started'),
    Condition.stringEquals('$.import.outcome', 'alreadyStarted'),
  )
  start.next(
    new Choice(scope, 'HasStarted')
      .when(
        hasStarted,
        // A look at once would nearly always come too early.
        new Wait(scope, 'LetJobRun', { time: WaitTime.secondsPath('$.import.waitSeconds') }).next(job.poll),
      )
      .when(
        Condition.stringEquals('$.import.outcome', 'moving'),
        moveRanges(scope, { startImport, failed }).next(start),
      )
      .when(
        Condition.stringEquals('$.import.outcome', 'busy'),
        new Wait(scope, 'WaitForKey', { time: WaitTime.secondsPath('$.import.waitSeconds') }).next(start),
      )
      .otherwise(new Succeed(scope, 'NothingToDo', { outputPath: '$.import' })),
  )
  const imported = new Pass(scope, 'Imported', {
    parameters: {
      tableId: JsonPath.stringAt('$.import.tableId'),
      fileId: JsonPath.numberAt('$.import.fileId'),
      jobId: JsonPath.numberAt('$.import.jobId'),
      reloadedVersions: JsonPath.numberAt('$.import.reloadedVersions'),
      status: JsonPath.stringAt('$.job.status'),
      results: JsonPath.objectAt('$.job.results'),
    },
  })
  const closeLetters = functionStep(scope, 'CloseLetters', {
    runs: startImport,
    event: { ...event, importedBy: JsonPath.numberAt('$.import.jobId') },
    resultPath: JsonPath.DISCARD,
  })
  // The file is in its table: a letter that stays open fails nothing.
  closeLetters.addCatch(imported, { errors: ['States.ALL'], resultPath: JsonPath.DISCARD })
  closeLetters.next(imported)
  job.hasEnded
    .when(Condition.and(job.hasSucceeded, Condition.isPresent('$.import.closesLetters')), closeLetters)
    .when(job.hasSucceeded, imported)
    // Two files for one new table landed together, and the other created it first: import into that table.
    .when(Condition.stringEquals('$.job.error.code', TABLE_EXISTS_CODE), start)
    .otherwise(job.jobFailed)

  return new StateMachine(scope, 'Machine', {
    logs: machineLogs(scope, 'import'),
    definitionBody: DefinitionBody.fromChainable(start),
    timeout: LONGEST_IMPORT,
  })
}

/** Parallel functions: few of an account's thousand. */
const RANGES_IN_PARALLEL = 16

/** Moves an object that is too large for one function, in the ranges that start-import gives. */
const moveRanges = (
  scope: Construct,
  { startImport, failed }: { startImport: IFunction; failed: IChainable },
): MapState => {
  const map = new MapState(scope, 'MoveParts', {
    itemsPath: '$.import.ranges',
    maxConcurrency: RANGES_IN_PARALLEL,
    resultPath: JsonPath.DISCARD,
  }).itemProcessor(
    functionStep(scope, 'MoveRange', {
      runs: startImport,
      event: {
        event: JsonPath.objectAt('$$.Execution.Input'),
        execution: JsonPath.stringAt('$$.Execution.Id'),
        move: {
          from: JsonPath.numberAt('$.from'),
          to: JsonPath.numberAt('$.to'),
          versionId: JsonPath.stringAt('$.versionId'),
        },
      },
      resultPath: JsonPath.DISCARD,
    }),
  )
  catchAll(map, failed)
  return map
}
