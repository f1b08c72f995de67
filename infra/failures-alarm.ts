import { Duration } from 'aws-cdk-lib'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'
import { OperatorAlarm } from './operator-alarm.ts'

interface FailuresAlarmProps {
  /** Runs each minute; nobody waits for its result. */
  readonly runs: IFunction
  readonly alarms: ITopic
  /** What does not happen meanwhile. */
  readonly means: string
}

/** A minute that fails is made up for by the next one. A quarter of an hour with so many is an incident. */
const MANY_FAILURES = 5

/** Without it, a function that a schedule calls could fail for ever in silence. */
export const alarmOnFailures = (scope: Construct, { runs, alarms, means }: FailuresAlarmProps): void =>
  void new OperatorAlarm(scope, 'Failing', {
    alarms,
    watches: runs,
    metric: runs.metricErrors({ period: Duration.minutes(15) }),
    threshold: MANY_FAILURES,
    means,
    toDo: `The log of ${runs.functionName} says why. It runs again each minute.`,
  })
