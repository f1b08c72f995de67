import { Duration } from 'aws-cdk-lib'
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2'
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'

/** In five minutes. Clients retry one or two errors; more is an incident. */
const MANY_SERVER_ERRORS = 5

export const alarmOnServerErrors = (scope: Construct, http: HttpApi, alarms: ITopic): void =>
  new Alarm(scope, 'ServerErrors', {
    alarmDescription:
      'The storage API answers with server errors. Each reply holds an exceptionId: search the logs of the ' +
      'storage-api function for it.',
    metric: http.metricServerError({ period: Duration.minutes(5) }),
    threshold: MANY_SERVER_ERRORS,
    evaluationPeriods: 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  }).addAlarmAction(new SnsAction(alarms))
