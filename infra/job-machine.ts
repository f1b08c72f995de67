import { Duration } from 'aws-cdk-lib'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import {
  Choice,
  Condition,
  DefinitionBody,
  JsonPath,
  StateMachine,
  Succeed,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'
import { DeadLetters } from './dead-letters.ts'
import { catchAll, failurePath } from './failure-path.ts'
import { functionStep } from './function-step.ts'
import type { LargeWork } from './large-work.ts'
import { machineLogs } from './machine-logs.ts'
import { reportSilentEnds } from './silent-ends.ts'

interface JobMachineProps {
  readonly machineName: string
  readonly runJob: IFunction
  readonly keepDeadLetter: IFunction
  /** Does the pieces of loads and exports that outgrow `runJob`. */
  readonly largeWork: LargeWork
  readonly alarms: ITopic
}

/** Jobs of one table wait for each other; the last of a long queue must still be run. */
const LONGEST_JOB = Duration.days(2)

const REDRIVE =
  'Look at the job first. When it is closed as an error that says that it was not done, send its request to the storage service again. When it ' +
  'succeeded, nothing is left to do.'

/**
 * Runs one asynchronous job of the storage service; an execution's name is the job's id.
 *
 * `run-job` answers `blocked` while an earlier job of the same table is under way; the machine then waits. It answers
 * `distribute` when a load outgrows it; the machine then stages the rows side by side, and `run-job` commits them. It
 * answers `export` when an export outgrows it; the machine then exports its parts side by side, and `run-job` makes the file of them. When `run-job` fails for good, it is
 * called once more with the failure, to close the job: as `error`, unless its work is done. When an execution is gone and its job open, another
 * one is started with such a failure.
 */
export class JobMachine extends Construct {
  readonly machine: StateMachine

  constructor(scope: Construct, id: string, props: JobMachineProps) {
    super(scope, id)
    const { machineName, runJob, largeWork, keepDeadLetter, alarms } = props
    const deadLetters = new DeadLetters(this, 'DeadLetters', {
      means:
        'A job of the storage service failed for a reason that is not its user’s. It is closed with an exceptionId.',
      alarms,
    })

    const jobId = JsonPath.numberAt('$.jobId')
    const done = new Succeed(this, 'JobDone')
    const failed = failurePath(this, {
      cleanUp: {
        name: 'CloseFailedJob',
        runs: runJob,
        event: { jobId, failure: JsonPath.objectAt('$.failure') },
      },
      deadLetter: {
        machine: 'jobs',
        queue: deadLetters.queue,
        keep: keepDeadLetter,
        redrive: REDRIVE,
      },
      endsAs: 'JobFailed',
      unless: { isPresent: 'wasDone', next: done },
    })
    const run = functionStep(this, 'RunJob', {
      runs: runJob,
      event: { jobId, startedWith: JsonPath.objectAt('$$.Execution.Input') },
      resultPath: '$.run',
    })
    catchAll(run, failed)
    const whatNow = new Choice(this, 'MustWait').when(
      Condition.stringEquals('$.run.status', 'blocked'),
      new Wait(this, 'WaitForTable', { time: WaitTime.secondsPath('$.run.waitSeconds') }).next(run),
    )
    whatNow.when(
      Condition.stringEquals('$.run.status', 'distribute'),
      largeWork.loadSteps(this, { failed, next: run }),
    )
    whatNow.when(
      Condition.stringEquals('$.run.status', 'export'),
      largeWork.exportSteps(this, { failed, next: run }),
    )
    run.next(whatNow.otherwise(done))

    this.machine = new StateMachine(this, 'Machine', {
      logs: machineLogs(this, 'jobs'),
      stateMachineName: machineName,
      definitionBody: DefinitionBody.fromChainable(run),
      timeout: LONGEST_JOB,
    })
    reportSilentEnds(this, {
      name: 'jobs',
      machine: this.machine,
      queue: deadLetters.queue,
      keep: keepDeadLetter,
      redrive: REDRIVE,
    })
  }
}
