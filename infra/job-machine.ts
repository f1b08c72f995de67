import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'
import { DeadLetters } from './dead-letters.ts'
import { drive } from './drive.ts'
import { reportSilentEnds } from './silent-ends.ts'

interface JobMachineProps {
  readonly machineName: string
  readonly runJob: IFunction
  readonly keepDeadLetter: IFunction
  /** Does the pieces of loads and exports that outgrow `runJob`. */
  readonly splitWork: IFunction
  readonly partsAtOnce: number
  readonly alarms: ITopic
}

/**
 * Runs one asynchronous job of the storage service; an execution's name is the job's id. When an execution is gone and its job
 * open, another one is started with that failure.
 */
export class JobMachine extends Construct {
  readonly machine: StateMachine

  constructor(scope: Construct, id: string, props: JobMachineProps) {
    super(scope, id)
    const { machineName, runJob, splitWork, partsAtOnce, keepDeadLetter, alarms } = props
    const { queue } = new DeadLetters(this, 'DeadLetters', {
      means:
        'A job of the storage service failed for a reason that is not its user’s. It is closed with an exceptionId.',
      alarms,
    })
    this.machine = drive(this, {
      name: 'jobs',
      machineName,
      step: runJob,
      parts: splitWork,
      partsAtOnce,
      deadLetters: { queue, keep: keepDeadLetter },
    })
    reportSilentEnds(this, { name: 'jobs', machine: this.machine, queue, keep: keepDeadLetter })
  }
}
