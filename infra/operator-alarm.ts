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
  /** It is enough that one of the periods reaches the threshold: what is measured late still counts. Default: all of them. */
  readonly isAnyPeriod?: boolean
  /** The alarm goes off when the metric stays below the threshold, or says nothing. Default: when it reaches it. */
  readonly isBelow?: boolean
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
    const { alarms, metric, threshold, periods = 1, isAnyPeriod, isBelow, means, toDo, watches } = props
    super(scope, id, {
      alarmDescription: `${means} ${toDo}`,
      metric,
      threshold,
      evaluationPeriods: periods,
      ...(isAnyPeriod && { datapointsToAlarm: 1 }),
      comparisonOperator: isBelow
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: isBelow ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    })
    this.watches = watches
    this.addAlarmAction(new SnsAction(alarms))
  }
}
