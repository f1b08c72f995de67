import { Duration } from 'aws-cdk-lib'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import {
  Choice,
  Condition,
  DefinitionBody,
  JsonPath,
  Map as MapState,
  Pass,
  StateMachine,
  Succeed,
} from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'
import { type DeadLetterPlaces, redriveCommand } from './dead-letter-step.ts'
import { catchAll, failurePath } from './failure-path.ts'
import { functionStep } from './function-step.ts'
import { machineLogs } from './machine-logs.ts'
import { waitForJob } from './wait-for-job.ts'

interface ExportMachineProps {
  readonly mergeSlices: IFunction
  readonly pollJob: IFunction
  readonly deadLetters: DeadLetterPlaces
}

/** The largest object takes hours; its parts must last until then. */
const LONGEST_EXPORT = Duration.days(2)

/** Parallel invocations: few of an account's thousand, and enough to reach S3's 3,500 writes a second. */
const RANGES_IN_PARALLEL = 16

/**
 * Request -> poll-job until the export has ended -> plan -> ranges of parts, side by side -> complete.
 *
 * An existing file needs no export. Slices that must be compressed or expanded are converted first, then planned again.
 * On failure the upload is aborted.
 */
export const exportMachine = (scope: Construct, props: ExportMachineProps): StateMachine => {
  const { mergeSlices, pollJob, deadLetters } = props
  const execution = JsonPath.stringAt('$$.Execution.Id')
  const step = (name: string, event: Record<string, unknown>, resultPath: string) =>
    functionStep(scope, name, { runs: mergeSlices, event: { ...event, execution }, resultPath })
  const input = JsonPath.objectAt('$$.Execution.Input')
  const failed = failurePath(scope, {
    cleanUp: {
      name: 'Abort',
      runs: mergeSlices,
      event: { step: 'abort', execution, input, failure: JsonPath.objectAt('$.failure') },
    },
    deadLetter: { machine: 'export', ...deadLetters, redrive: redriveCommand('export') },
    endsAs: 'ExportFailed',
  })

  const overRanges = (name: string, each: string, does: 'convert' | 'copy') => {
    const range = { from: JsonPath.numberAt('$.from'), to: JsonPath.numberAt('$.to') }
    const map = new MapState(scope, name, {
      itemsPath: '$.plan.ranges',
      maxConcurrency: RANGES_IN_PARALLEL,
      resultPath: JsonPath.DISCARD,
    }).itemProcessor(step(each, { step: does, ...range }, JsonPath.DISCARD))
    catchAll(map, failed)
    return map
  }

  const request = step('Request', { step: 'request', input }, '$.request')
  const plan = step('Plan', { step: 'plan', input, fileId: JsonPath.numberAt('$.file.id') }, '$.plan')
  const complete = step('Complete', { step: 'complete' }, '$.export')
  for (const task of [request, plan, complete]) catchAll(task, failed)

  const fileAt = (name: string, path: string) =>
    new Pass(scope, name, { parameters: { id: JsonPath.numberAt(path) }, resultPath: '$.file' }).next(plan)
  const job = waitForJob(scope, { pollJob, jobIdPath: '$.request.jobId', failed })
  job.hasEnded
    .when(job.hasSucceeded, fileAt('ExportedFile', '$.job.results.file.id'))
    .otherwise(job.jobFailed)

  request.next(
    new Choice(scope, 'IsFileThere')
      .when(Condition.stringEquals('$.request.outcome', 'ready'), fileAt('GivenFile', '$.request.fileId'))
      .otherwise(job.poll),
  )
  plan.next(
    new Choice(scope, 'MustConvert')
      .when(
        Condition.stringEquals('$.plan.outcome', 'convert'),
        overRanges('ConvertSlices', 'ConvertRange', 'convert').next(plan),
      )
      .otherwise(overRanges('CopyParts', 'CopyRange', 'copy').next(complete)),
  )
  complete.next(new Succeed(scope, 'Exported', { outputPath: '$.export' }))

  return new StateMachine(scope, 'Machine', {
    logs: machineLogs(scope, 'export'),
    definitionBody: DefinitionBody.fromChainable(request),
    timeout: LONGEST_EXPORT,
  })
}
