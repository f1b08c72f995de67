import { Duration } from 'aws-cdk-lib'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import {
  Choice,
  Condition,
  DefinitionBody,
  Fail,
  JsonPath,
  StateMachine,
  Succeed,
  TaskInput,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions'
import { LambdaInvoke, SqsSendMessage } from 'aws-cdk-lib/aws-stepfunctions-tasks'
import { Construct } from 'constructs'
import { DeadLetters } from './dead-letters.ts'
import { withRetries } from './task-retries.ts'

export interface JobMachineProps {
  readonly machineName: string
  readonly runJob: IFunction
  readonly alarms: ITopic
}

/** Jobs of one table wait for each other; the last of a long queue must still find its turn. */
const LONGEST_JOB = Duration.days(2)

/**
 * Runs one asynchronous job of the storage service; an execution's name is the job's id.
 *
 * `run-job` answers `blocked` while an earlier job of the same table is under way; the waiting is done here. When it
 * fails for good, it is called once more with the failure, to close the job in the user's sight.
 */
export class JobMachine extends Construct {
  readonly machine: StateMachine

  constructor(scope: Construct, id: string, { machineName, runJob, alarms }: JobMachineProps) {
    super(scope, id)
    const deadLetters = new DeadLetters(this, 'DeadLetters', {
      meaning: 'A job of the storage service failed for a reason that is not its user’s.',
      alarms,
    })

    const run = withRetries(
      new LambdaInvoke(this, 'RunJob', {
        lambdaFunction: runJob,
        payload: TaskInput.fromObject({ jobId: JsonPath.numberAt('$.jobId') }),
        payloadResponseOnly: true,
        retryOnServiceExceptions: false,
        resultPath: '$.run',
      }),
    )
    const close = withRetries(
      new LambdaInvoke(this, 'CloseFailedJob', {
        lambdaFunction: runJob,
        payload: TaskInput.fromObject({
          jobId: JsonPath.numberAt('$.jobId'),
          failure: JsonPath.objectAt('$.failure'),
        }),
        payloadResponseOnly: true,
        retryOnServiceExceptions: false,
        resultPath: JsonPath.DISCARD,
      }),
    )
    const letter = new SqsSendMessage(this, 'WriteDeadLetter', {
      queue: deadLetters.queue,
      messageBody: TaskInput.fromObject({
        machine: JsonPath.stringAt('$$.StateMachine.Id'),
        execution: JsonPath.stringAt('$$.Execution.Id'),
        input: JsonPath.objectAt('$$.Execution.Input'),
        failure: JsonPath.objectAt('$.failure'),
      }),
      resultPath: JsonPath.DISCARD,
    })
    letter.next(new Fail(this, 'JobFailed', { errorPath: '$.failure.Error', causePath: '$.failure.Cause' }))
    close.next(letter)
    // The user's view may stay open when even this fails; the letter must be written all the same.
    close.addCatch(letter, { errors: ['States.ALL'], resultPath: JsonPath.DISCARD })

    run.addCatch(close, { errors: ['States.ALL'], resultPath: '$.failure' })
    run.next(
      new Choice(this, 'IsItsTurn')
        .when(
          Condition.stringEquals('$.run.status', 'blocked'),
          new Wait(this, 'WaitForTurn', { time: WaitTime.secondsPath('$.run.waitSeconds') }).next(run),
        )
        .otherwise(new Succeed(this, 'JobDone')),
    )

    this.machine = new StateMachine(this, 'Machine', {
      stateMachineName: machineName,
      definitionBody: DefinitionBody.fromChainable(run),
      timeout: LONGEST_JOB,
    })
  }
}
