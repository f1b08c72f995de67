import { Duration } from 'aws-cdk-lib'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import {
  Choice,
  Condition,
  DefinitionBody,
  DistributedMap,
  Fail,
  JsonPath,
  Pass,
  StateMachine,
  Succeed,
  TaskInput,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions'
import { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks'
import type { Construct } from 'constructs'
import { LONGEST_RUN_SECONDS, type RunStep } from '../functions/run-extractor/names.ts'
import {
  type DeadLetterPlaces,
  deadLetterContent,
  redriveCommand,
  writeDeadLetter,
} from './dead-letter-step.ts'
import { machineLogs } from './machine-logs.ts'
import { withRetries } from './task-retries.ts'

interface ExtractMachineProps {
  readonly machineName: string
  readonly runExtractor: IFunction
  readonly deadLetters: DeadLetterPlaces
}

/**
 * A step, with each of its retries, writes at most 41 events of the 25,000 that one history may have (Step Functions
 * quotas). So many steps are done by one child execution; then another one continues.
 */
const STEPS_OF_A_HISTORY = 500

/**
 * Runs one configuration: `{"componentId","configId"}` -> what each row did.
 *
 * Begin -> for each row { ReadInputs -> RunLeg until finished -> LoadTables -> SaveState } -> End. The run's document
 * says what is next, so a restarted execution resumes its run. A step that fails for good ends its row; the run may then
 * continue with the next row. A failed run ends in a dead letter.
 *
 * The steps are done in child executions, each with a history of its own: a Map of one item, again and again.
 */
export const extractMachine = (
  scope: Construct,
  { machineName, runExtractor, deadLetters }: ExtractMachineProps,
): StateMachine => {
  const step = stepsBy(runExtractor, scope)
  const { withoutReport, hasSucceeded } = createEnds(scope, deadLetters)
  const whatIsNext = createChild(scope, step)
  const end = step('End', 'end')

  const context = {
    execution: JsonPath.stringAt('$$.Execution.Id'),
    startedAt: JsonPath.stringAt('$$.Execution.StartTime'),
    input: JsonPath.objectAt('$$.Execution.Input'),
  }
  const steps = new DistributedMap(scope, 'Steps', {
    itemsPath: '$.once',
    itemSelector: {
      ...context,
      run: { next: JsonPath.stringAt('$.run.next'), stepsLeft: STEPS_OF_A_HISTORY },
    },
    maxConcurrency: 1,
    resultSelector: { run: JsonPath.objectAt('$[0].run') },
    resultPath: '$.steps',
  }).itemProcessor(whatIsNext)
  const stepsOf = new Pass(scope, 'StepsOfRun', {
    parameters: { ...context, once: [1], run: { next: 'begin', stepsLeft: 0 } },
  })
  stepsOf.next(steps)
  // A child that Step Functions itself has ended.
  steps.addCatch(withoutReport, { errors: ['States.ALL'], resultPath: '$.failure' })
  const takeRun = new Pass(scope, 'TakeRun', { inputPath: '$.steps.run', resultPath: '$.run' })
  steps.next(takeRun)
  takeRun.next(
    new Choice(scope, 'HasEnded')
      .when(isNext('skipped'), new Succeed(scope, 'Skipped', { outputPath: '$.run.result' }))
      .when(
        isNext('unreported'),
        new Pass(scope, 'TakeFailure', { inputPath: '$.run.failure', resultPath: '$.failure' }).next(
          withoutReport,
        ),
      )
      // It failed before it began, and was reported: the end would report it again.
      .when(Condition.and(isNext('end'), Condition.isPresent('$.run.result')), hasSucceeded)
      .when(isNext('end'), end)
      .otherwise(steps),
  )
  end.addCatch(withoutReport, { errors: ['States.ALL'], resultPath: '$.failure' })
  end.next(hasSucceeded)

  return new StateMachine(scope, 'Machine', {
    logs: machineLogs(scope, 'extract'),
    stateMachineName: machineName,
    definitionBody: DefinitionBody.fromChainable(stepsOf),
    timeout: Duration.seconds(LONGEST_RUN_SECONDS),
  })
}

const isNext = (name: string) => Condition.stringEquals('$.run.next', name)

type CreateStep = (name: string, step: RunStep, more?: Record<string, unknown>) => LambdaInvoke

const stepsBy =
  (runExtractor: IFunction, scope: Construct): CreateStep =>
  (name, step, more = {}) =>
    withRetries(
      new LambdaInvoke(scope, name, {
        lambdaFunction: runExtractor,
        payload: TaskInput.fromObject({
          step,
          execution: JsonPath.stringAt('$.execution'),
          startedAt: JsonPath.stringAt('$.startedAt'),
          input: JsonPath.objectAt('$.input'),
          stepsLeft: JsonPath.numberAt('$.run.stepsLeft'),
          ...more,
        }),
        payloadResponseOnly: true,
        retryOnServiceExceptions: false,
        resultPath: '$.run',
      }),
    )

/** How a run ends: as it was to, or in a dead letter. */
const createEnds = (scope: Construct, deadLetters: DeadLetterPlaces) => {
  const failWith = { errorPath: '$.deadLetter.code', causePath: '$.deadLetter.message' }
  const write = writeDeadLetter(
    scope,
    { machine: 'extract', ...deadLetters, redrive: redriveCommand('extract') },
    new Fail(scope, 'ExtractionFailed', failWith),
  )
  const withoutReport = deadLetterContent(scope, 'NotReported', {
    code: '$.failure.Error',
    message: 'The run could not be ended in order. The details are what the machine reported.',
    details: '$.failure',
  }).next(write)
  const reported = deadLetterContent(scope, 'RunFailed', {
    code: '$.run.failure.Error',
    message: '$.run.failure.Cause',
    details: '$.run.result',
  }).next(write)

  const hasSucceeded = new Choice(scope, 'HasSucceeded')
    .when(Condition.isPresent('$.run.failure'), reported)
    .otherwise(new Succeed(scope, 'Extracted', { outputPath: '$.run.result' }))
  return { withoutReport, hasSucceeded }
}

/** What a child execution does: one step after the other, as long as its history may grow. */
const createChild = (scope: Construct, step: CreateStep): Choice => {
  const begin = step('Begin', 'begin')
  const readInputs = step('ReadInputs', 'inputs')
  const runLeg = step('RunLeg', 'leg')
  const loadTables = step('LoadTables', 'load')
  const saveState = step('SaveState', 'save')
  const report = step('ReportFailure', 'fail', { failure: JsonPath.objectAt('$.failure') })

  const whatIsNext = new Choice(scope, 'WhatIsNext')
    .when(Condition.numberLessThanEquals('$.run.stepsLeft', 0), new Succeed(scope, 'HistoryIsLong'))
    .when(isNext('begin'), begin)
    .when(isNext('inputs'), readInputs)
    .when(isNext('leg'), runLeg)
    .when(isNext('load'), loadTables)
    .when(isNext('save'), saveState)
    .otherwise(new Succeed(scope, 'NoStepLeft'))
  const isItTime = new Choice(scope, 'IsItTime')
    .when(
      Condition.numberGreaterThan('$.run.waitSeconds', 0),
      new Wait(scope, 'Wait', { time: WaitTime.secondsPath('$.run.waitSeconds') }).next(whatIsNext),
    )
    .otherwise(whatIsNext)

  for (const task of [begin, readInputs, runLeg, loadTables, saveState]) {
    task.next(isItTime)
    task.addCatch(report, { errors: ['States.ALL'], resultPath: '$.failure' })
  }
  report.next(isItTime)
  report.addCatch(
    new Pass(scope, 'NoReport', {
      parameters: { next: 'unreported', failure: JsonPath.objectAt('$.failure') },
      resultPath: '$.run',
    }),
    { errors: ['States.ALL'], resultPath: '$.failure' },
  )
  return whatIsNext
}
