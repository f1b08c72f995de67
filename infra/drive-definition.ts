import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { EVEN_THAT_FAILED, type MachineName, machines, PARTS_AT_ONCE, retries } from './system.ts'

export interface DriveProps {
  /** Of system.ts. */
  readonly name: MachineName
  /** Default: a generated one. */
  readonly machineName?: string
  readonly step: IFunction
  /** Parts side by side. Default `PARTS_AT_ONCE`. */
  readonly partsAtOnce?: number
  /** Reads a job once, where steps wait for jobs. */
  readonly pollJob?: IFunction
}

/**
 * A step, with each of its retries, writes at most 43 events of the 25,000 that one history may have (Step Functions
 * quotas). So many steps are done by one child execution; then another one continues.
 */
const STEPS_OF_A_HISTORY = 500

type States = Readonly<Record<string, object>>

/** In the States Language. */
export const definitionOf = (props: DriveProps): object => ({
  StartAt: 'Begin',
  TimeoutSeconds: machines[props.name].longestSeconds,
  States: {
    Begin: {
      Type: 'Pass',
      Parameters: {
        run: {
          'input.$': '$$.Execution.Input',
          'execution.$': '$$.Execution.Id',
          'since.$': '$$.Execution.StartTime',
        },
        answer: { next: 'again', waitSeconds: 0, state: null, job: null, stepsLeft: STEPS_OF_A_HISTORY },
        once: [1],
      },
      Next: machines[props.name].isLong ? 'Steps' : 'Step',
    },
    ...(machines[props.name].isLong ? inChildren(props) : stepsOf(props, 'End')),
    ...ends,
  },
})

const isNext = (next: string) => ({ Variable: '$.answer.next', StringEquals: next })
const ANY = { ErrorEquals: ['States.ALL'] }

const retry = retries.map(({ errors, intervalSeconds, maxDelaySeconds, hasJitter, ...rest }) => ({
  ErrorEquals: errors,
  IntervalSeconds: intervalSeconds,
  BackoffRate: rest.backoffRate,
  MaxAttempts: rest.maxAttempts,
  ...(maxDelaySeconds !== undefined && { MaxDelaySeconds: maxDelaySeconds }),
  ...(hasJitter && { JitterStrategy: 'FULL' }),
}))

/** What the answers ask for. `end`: the state for an answer that asks for nothing more. */
const stepsOf = ({ name, step, partsAtOnce = PARTS_AT_ONCE, pollJob }: DriveProps, end: string): States => {
  const call = (event: object) => ({
    Type: 'Task',
    Resource: step.functionArn,
    Parameters: {
      'input.$': '$.run.input',
      'execution.$': '$.run.execution',
      'since.$': '$.run.since',
      'state.$': '$.answer.state',
      ...event,
    },
    Retry: retry,
  })
  const stepsLeft = { 'stepsLeft.$': '$.answer.stepsLeft' }
  const Catch = [{ ...ANY, ResultPath: '$.failure', Next: 'StepAfterFailure' }]
  return {
    Step: {
      ...call({ 'job.$': '$.answer.job', ...stepsLeft }),
      ResultPath: '$.answer',
      Catch,
      Next: 'WhatNow',
    },
    StepAfterFailure: {
      ...call({ 'job.$': '$.answer.job', 'failure.$': '$.failure', ...stepsLeft }),
      ResultPath: '$.answer',
      Catch: [{ ...ANY, ResultPath: null, Next: 'EvenThatFailed' }],
      Next: 'WhatNow',
    },
    EvenThatFailed: {
      Type: 'Pass',
      Parameters: {
        next: 'failed',
        // Not every report has a cause, and a path that leads nowhere would end the execution otherwise.
        failure: { 'code.$': '$.failure.Error' },
        report: { errorMessage: EVEN_THAT_FAILED, 'details.$': '$.failure' },
      },
      ResultPath: '$.answer',
      Next: end,
    },
    WhatNow: {
      Type: 'Choice',
      Choices: [
        { ...isNext('each'), Next: 'Each' },
        ...(pollJob ? [{ ...isNext('poll'), Next: 'LetJobRun' }] : []),
        machines[name].isLong
          ? {
              And: [isNext('again'), { Variable: '$.answer.stepsLeft', NumericGreaterThan: 0 }],
              Next: 'Wait',
            }
          : { ...isNext('again'), Next: 'Wait' },
      ],
      Default: end,
    },
    Wait: { Type: 'Wait', SecondsPath: '$.answer.waitSeconds', Next: 'Step' },
    Each: {
      Type: 'Map',
      ItemsPath: '$.answer.parts',
      ItemSelector: {
        'run.$': '$.run',
        answer: { 'state.$': '$.answer.state' },
        'part.$': '$$.Map.Item.Value',
      },
      MaxConcurrency: partsAtOnce,
      ItemProcessor: {
        ProcessorConfig: { Mode: 'INLINE' },
        StartAt: 'Part',
        States: { Part: { ...call({ 'part.$': '$.part' }), ResultPath: null, End: true } },
      },
      ResultPath: null,
      Catch,
      Next: 'Step',
    },
    ...(pollJob && pollStates(pollJob, Catch, end)),
  }
}

/** poll-job says how long to wait between two looks; a look at once would nearly always come too early. */
const pollStates = (pollJob: IFunction, Catch: readonly object[], end: string): States => ({
  LetJobRun: { Type: 'Wait', SecondsPath: '$.answer.waitSeconds', Next: 'Poll' },
  Poll: {
    Type: 'Task',
    Resource: pollJob.functionArn,
    Parameters: {
      'jobId.$': '$.answer.jobId',
      'execution.$': '$.run.execution',
      'since.$': '$.run.since',
    },
    ResultPath: '$.answer.job',
    Retry: retry,
    Catch,
    Next: 'HasJobEnded',
  },
  HasJobEnded: {
    Type: 'Choice',
    Choices: [
      { Variable: '$.answer.job.isFinished', BooleanEquals: false, Next: 'WaitForJob' },
      {
        And: [
          { Variable: '$.answer.job.status', StringEquals: 'success' },
          { Variable: '$.answer.output', IsPresent: true },
        ],
        Next: 'JobWasAll',
      },
    ],
    Default: 'Step',
  },
  WaitForJob: { Type: 'Wait', SecondsPath: '$.answer.job.waitSeconds', Next: 'Poll' },
  JobWasAll: {
    Type: 'Pass',
    Parameters: {
      next: 'done',
      'output.$': 'States.JsonMerge($.answer.output, $.answer.job, false)',
    },
    ResultPath: '$.answer',
    Next: end,
  },
})

/** The steps in child executions, each with a history of its own: a Map of one item, again and again. */
const inChildren = (props: DriveProps): States => ({
  Steps: {
    Type: 'Map',
    ItemsPath: '$.once',
    ItemSelector: {
      'run.$': '$.run',
      answer: {
        next: 'again',
        'waitSeconds.$': '$.answer.waitSeconds',
        'state.$': '$.answer.state',
        job: null,
        stepsLeft: STEPS_OF_A_HISTORY,
      },
    },
    MaxConcurrency: 1,
    ItemProcessor: {
      ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
      StartAt: 'Wait',
      States: { ...stepsOf(props, 'EndOfHistory'), EndOfHistory: { Type: 'Succeed' } },
    },
    ResultSelector: { 'answer.$': '$[0].answer' },
    ResultPath: '$.steps',
    // A child that Step Functions itself has ended.
    Catch: [{ ...ANY, ResultPath: '$.failure', Next: 'ChildWasEnded' }],
    Next: 'TakeAnswer',
  },
  ChildWasEnded: {
    Type: 'Pass',
    Parameters: {
      next: 'failed',
      failure: { 'code.$': '$.failure.Error' },
      report: { errorMessage: CHILD_WAS_ENDED, 'details.$': '$.failure' },
    },
    ResultPath: '$.answer',
    Next: 'End',
  },
  TakeAnswer: { Type: 'Pass', InputPath: '$.steps.answer', ResultPath: '$.answer', Next: 'GoesOn' },
  GoesOn: { Type: 'Choice', Choices: [{ ...isNext('again'), Next: 'Steps' }], Default: 'End' },
})

const CHILD_WAS_ENDED =
  'The steps were ended before they could report a failure. The details are what the machine reported.'

/** `tick` hears of a failure, and keeps it (docs/operations.md#dead-letters): the cause says all that is known of it. */
const ends: States = {
  End: { Type: 'Choice', Choices: [{ ...isNext('done'), Next: 'Done' }], Default: 'Failed' },
  Done: { Type: 'Succeed', OutputPath: '$.answer.output' },
  Failed: {
    Type: 'Fail',
    ErrorPath: '$.answer.failure.code',
    CausePath: 'States.JsonToString($.answer.report)',
  },
}
