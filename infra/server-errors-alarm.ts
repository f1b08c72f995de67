import { Duration } from 'aws-cdk-lib'
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'
import { OperatorAlarm } from './operator-alarm.ts'

/** In five minutes. Clients retry one or two errors; more is an incident. */
const MANY_SERVER_ERRORS = 5

interface ServerErrorsAlarmProps {
  readonly http: HttpApi
  readonly storageApi: IFunction
  readonly alarms: ITopic
}

export const alarmOnServerErrors = (
  scope: Construct,
  { http, storageApi, alarms }: ServerErrorsAlarmProps,
): void =>
  void new OperatorAlarm(scope, 'ServerErrors', {
    alarms,
    metric: http.metricServerError({ period: Duration.minutes(5) }),
    threshold: MANY_SERVER_ERRORS,
    means: 'The storage API answered with 5xx at least five times in five minutes.',
    toDo: `Each reply holds an exceptionId: search the log of ${storageApi.functionName} for it.`,
  })
