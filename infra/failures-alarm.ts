import { Duration } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'

interface FailuresAlarmProps {
  /** Runs each minute; nobody waits for its result. */
  readonly runs: IFunction
  readonly alarms: ITopic
  /** What does not happen meanwhile, and what to do. */
  readonly meaning: string
}

/** A minute that fails is made up for by the next one. A quarter of an hour with so many is an incident. */
const MANY_FAILURES = 5

/** Without it, a function that a schedule calls could fail for ever in silence. */
export const alarmOnFailures = (scope: Construct, { runs, alarms, meaning }: FailuresAlarmProps): void =>
  new Alarm(scope, 'Failing', {
    alarmDescription: `${meaning} The log of ${runs.functionName} says why.`,
    metric: runs.metricErrors({ period: Duration.minutes(15) }),
    threshold: MANY_FAILURES,
    evaluationPeriods: 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  }).addAlarmAction(new SnsAction(alarms))
