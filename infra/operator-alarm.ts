import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'

interface OperatorAlarmProps {
  readonly alarms: ITopic
  readonly metric: IMetric
  /** The alarm goes off when the metric reaches it. */
  readonly threshold: number
  /** In so many periods of the metric, one after the other. Default 1. */
  readonly periods?: number
  /** It is enough that one of the periods reaches the threshold: what is measured late still counts. Default: all of them. */
  readonly isAnyPeriod?: boolean
  /** What has happened, and what it means for the data. */
  readonly means: string
  /** What to look at, and what to do. */
  readonly toDo: string
}

/** An alarm that says to whoever gets its mail what to do. docs/operations.md has the same words. */
export class OperatorAlarm extends Alarm {
  constructor(scope: Construct, id: string, props: OperatorAlarmProps) {
    const { alarms, metric, threshold, periods = 1, isAnyPeriod, means, toDo } = props
    super(scope, id, {
      alarmDescription: `${means} ${toDo}`,
      metric,
      threshold,
      evaluationPeriods: periods,
      ...(isAnyPeriod && { datapointsToAlarm: 1 }),
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    })
    this.addAlarmAction(new SnsAction(alarms))
  }
}
