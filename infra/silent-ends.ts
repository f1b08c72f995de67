import { EventField, type IRule, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events'
import { LambdaFunction, SqsQueue } from 'aws-cdk-lib/aws-events-targets'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'
import type { ErrorCode } from '../functions/lib/errors/codes.ts'
import type { DeadLetterPlaces } from './drive-definition.ts'
import { type MachineName, machines } from './system.ts'

interface SilentEndsProps extends DeadLetterPlaces {
  readonly name: MachineName
  readonly machine: StateMachine
}

/**
 * Errors that end an execution from whatever state it is in. `States.ALL` catches neither of the first two (Developer
 * Guide, "Handling errors in Step Functions workflows"): broken paths, too much data, 25,000 events. The last are those
 * of writing the dead letter itself. No other error ends a machine before its dead letter is written.
 */
const UNCAUGHT = ['States.Runtime', 'States.DataLimitExceeded', { prefix: 'SQS.' }]

/**
 * Writes a dead letter for each execution that ended without one: out of time, stopped, or cut off by Step Functions.
 *
 * The shape is that of `writeDeadLetter`; `input` is the text of the input, as the event has it.
 */
export const reportSilentEnds = (scope: Construct, props: SilentEndsProps): void => {
  const { machine } = props
  const rule = (name: string, description: string, detail: Record<string, unknown>): IRule =>
    new Rule(scope, name, {
      description,
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { stateMachineArn: [machine.stateMachineArn], ...detail },
      },
      targets: [
        ...(props.keep === undefined ? [] : [new LambdaFunction(props.keep, { event: keptLetterOf(props) })]),
        new SqsQueue(props.queue, { message: RuleTargetInput.fromObject(deadLetterOf(props)) }),
      ],
    })
  rule('StoppedOrOutOfTime', 'Writes the dead letter of an execution that was stopped or ran out of time', {
    status: ['TIMED_OUT', 'ABORTED'],
    // Whoever cancels a run wants no letter about it.
    error: [null, { exists: false }, { 'anything-but': ['storage.jobs.cancelled' satisfies ErrorCode] }],
  })
  rule('CutOff', 'Writes the dead letter of an execution that Step Functions ended', {
    status: ['FAILED'],
    error: UNCAUGHT,
  })
}

/** The event of `keep-dead-letter`. */
const keptLetterOf = (props: SilentEndsProps): RuleTargetInput =>
  RuleTargetInput.fromObject({
    machine: props.name,
    startedAt: EventField.fromPath('$.detail.startDate'),
    letter: deadLetterOf(props),
  })

const deadLetterOf = ({ name }: SilentEndsProps) => ({
  version: 1,
  source: {
    machine: EventField.fromPath('$.detail.stateMachineArn'),
    execution: EventField.fromPath('$.detail.executionArn'),
  },
  input: EventField.fromPath('$.detail.input'),
  // Not `error` and `cause`: both are null for a stopped execution, which a template cannot write.
  failure: {
    code: EventField.fromPath('$.detail.status'),
    message:
      'The execution ended before it could report a failure: it was stopped, ran out of time, or met a limit of ' +
      'Step Functions. The details are the event of its end.',
  },
  details: EventField.fromPath('$.detail'),
  at: EventField.fromPath('$.time'),
  redrive: machines[name].redrive,
})
