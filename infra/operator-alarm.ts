import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'

interface OperatorAlarmProps {
  readonly alarms: ITopic
  readonly metric: IMetric
  /** The alarm goes off when the metric reaches it. */
  readonly threshold: number
  /** In so many periods of the metric, one after the other. Default 1. */
  readonly periods?: number
  /** What has happened, and what it means for the data. */
  readonly means: string
  /** What to look at, and what to do. */
  readonly toDo: string
  /** The function whose errors it is about, if it is about one. */
  readonly watches?: IFunction
}

/** An alarm that says to whoever gets its mail what to do. docs/operations.md has the same words. */
export class OperatorAlarm extends Alarm {
  readonly watches: IFunction | undefined

  constructor(scope: Construct, id: string, props: OperatorAlarmProps) {
    const { alarms, metric, threshold, periods = 1, means, toDo, watches } = props
    super(scope, id, {
      alarmDescription: `${means} ${toDo}`,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    })
    this.watches = watches
    this.addAlarmAction(new SnsAction(alarms))
  }
}
