import { Duration } from 'aws-cdk-lib'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { type IChainable, JsonPath, Pass, TaskInput, type TaskStateBase } from 'aws-cdk-lib/aws-stepfunctions'
import { SqsSendMessage } from 'aws-cdk-lib/aws-stepfunctions-tasks'
import type { Construct } from 'constructs'
import { functionStep } from './function-step.ts'

/** Where the dead letters of a machine go. */
export interface DeadLetterPlaces {
  readonly queue: IQueue
  /** Keeps them where the storage API lists them. Without one the queue alone has them. */
  readonly keep: IFunction | undefined
}

export interface DeadLetterStepProps extends DeadLetterPlaces {
  /** The machine by the name of its construct. */
  readonly machine: string
  /** How the work is tried again, for a person. */
  readonly redrive: string
}

/** Where a state puts what the dead letter says of the failure. */
const CONTENT = '$.deadLetter'

/** What a person runs to start a machine again; the dead letter's `input` goes to its standard input. */
export const redriveCommand = (machine: string): string => `npx millrace execute ${machine} -`

/** The dead letter, from the execution and a state of `deadLetterContent`. */
const deadLetter = (redrive: string) => ({
  version: 1,
  source: {
    machine: JsonPath.stringAt('$$.StateMachine.Id'),
    execution: JsonPath.stringAt('$$.Execution.Id'),
  },
  input: JsonPath.objectAt('$$.Execution.Input'),
  failure: {
    code: JsonPath.stringAt(`${CONTENT}.code`),
    message: JsonPath.stringAt(`${CONTENT}.message`),
  },
  details: JsonPath.objectAt(`${CONTENT}.details`),
  at: JsonPath.stringAt('$$.State.EnteredTime'),
  redrive,
})

/**
 * Writes the dead letter (docs/operations.md#dead-letters). Comes after a state of `deadLetterContent`.
 *
 * It is kept first, so that whom the alarm calls finds it. The queue is written even when it could not be kept.
 */
export const writeDeadLetter = (
  scope: Construct,
  { machine, queue, keep, redrive }: DeadLetterStepProps,
  then: IChainable,
): TaskStateBase => {
  const send = new SqsSendMessage(scope, 'WriteDeadLetter', {
    queue,
    messageBody: TaskInput.fromObject(deadLetter(redrive)),
    resultPath: JsonPath.DISCARD,
    // Some ten minutes: a failure that nobody hears of is worse than one that is heard of late.
  }).addRetry({
    errors: ['States.ALL'],
    interval: Duration.seconds(5),
    backoffRate: 2,
    maxAttempts: 7,
  })
  send.next(then)
  if (keep === undefined) return send
  const kept = functionStep(scope, 'KeepDeadLetter', {
    runs: keep,
    event: {
      machine,
      startedAt: JsonPath.stringAt('$$.Execution.StartTime'),
      letter: deadLetter(redrive),
    },
    resultPath: JsonPath.DISCARD,
  })
  kept.addCatch(send, { errors: ['States.ALL'], resultPath: JsonPath.DISCARD })
  kept.next(send)
  return kept
}

interface DeadLetterContent {
  /** JSONPath of a text. */
  readonly code: string
  /** A text, or the JSONPath of one. */
  readonly message: string
  /** JSONPath of an object: what else is known. Default: nothing. */
  readonly details?: string
}

/** A state that says what the dead letter says of the failure. */
export const deadLetterContent = (
  scope: Construct,
  name: string,
  { code, message, details }: DeadLetterContent,
): Pass =>
  new Pass(scope, name, {
    parameters: {
      code: JsonPath.stringAt(code),
      message: message.startsWith('$.') ? JsonPath.stringAt(message) : message,
      details: details === undefined ? {} : JsonPath.objectAt(details),
    },
    resultPath: CONTENT,
  })
