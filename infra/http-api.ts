import { Aws, CfnOutput, Duration } from 'aws-cdk-lib'
import { ApiMapping, type CfnStage, DomainName, HttpApi } from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import { KeptLogs } from './kept-logs.ts'
import { OperatorAlarm } from './operator-alarm.ts'

export interface ApiDomainProps {
  /** `*.example.com`: all names below it. */
  readonly domainName: string
  readonly certificateArn: string
}

interface HttpApiProps {
  readonly storageApi: IFunction
  /** Undefined: the name that AWS makes. */
  readonly domain: ApiDomainProps | undefined
  readonly alarms: ITopic
}

/**
 * Requests that the API takes in a second on average, and at once; the gateway refuses what is beyond with 429. Whoever has no
 * token could otherwise take the account's functions with requests that are only refused.
 */
const THROTTLE = { throttlingRateLimit: 500, throttlingBurstLimit: 1000 }

/** In five minutes. Clients retry one or two errors; more is an incident. */
const MANY_SERVER_ERRORS = 5

/** What stands before the function of the API, with an alarm of its errors. Resolves to its address. */
export const httpApi = (scope: Construct, { storageApi, domain, alarms }: HttpApiProps): string => {
  const http = new HttpApi(scope, 'Http', {
    apiName: `${Aws.STACK_NAME}-storage`,
    description: 'Millrace storage API',
    defaultIntegration: new HttpLambdaIntegration('StorageApi', storageApi),
  })
  // The prefix keeps the account's resource policy for logs short: it covers all such groups (API Gateway Developer Guide,
  // "Configure logging for HTTP APIs").
  const logs = new KeptLogs(scope, 'AccessLogs', {
    logGroupName: `/aws/vendedlogs/apis/${Aws.STACK_NAME}-access`,
  })
  // Changed where it is: another stage could not be made beside it, for both would be named $default.
  const stage = http.defaultStage?.node.defaultChild as CfnStage // An HttpApi makes it, unless told not to.
  stage.accessLogSettings = { destinationArn: logs.logGroupArn, format: JSON.stringify(LINE) }
  stage.defaultRouteSettings = THROTTLE
  const url = domain === undefined ? http.apiEndpoint : new ApiDomain(scope, 'Domain', http, domain).url
  new OperatorAlarm(scope, 'ServerErrors', {
    alarms,
    metric: http.metricServerError({ period: Duration.minutes(5) }),
    threshold: MANY_SERVER_ERRORS,
    means: 'The storage API answered with 5xx at least five times in five minutes.',
    toDo: `Each reply holds an exceptionId: search the log of ${storageApi.functionName} for it.`,
  })
  return url
}

/**
 * A line for each request, with those that the gateway refuses itself: the function never sees them. Without the query,
 * which may hold values of rows (API Gateway Developer Guide, "Customize HTTP API access logs").
 */
const LINE = {
  at: '$context.requestTime',
  requestId: '$context.requestId',
  ip: '$context.identity.sourceIp',
  userAgent: '$context.identity.userAgent',
  method: '$context.httpMethod',
  path: '$context.path',
  status: '$context.status',
  bytes: '$context.responseLength',
  milliseconds: '$context.responseLatency',
  functionMilliseconds: '$context.integrationLatency',
  error: '$context.error.message',
  functionError: '$context.integrationErrorMessage',
}

/** The customer's own name for the API, which he points at the output `ApiDomainTarget`, or names: clients derive those of its services from `connection.…`. */
class ApiDomain extends Construct {
  readonly url: string

  constructor(scope: Construct, id: string, http: HttpApi, props: ApiDomainProps) {
    super(scope, id)
    const { domainName, certificateArn } = props
    const domain = new DomainName(this, 'Name', {
      domainName,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
    })
    new ApiMapping(this, 'Mapping', { api: http, domainName: domain })
    new CfnOutput(this, 'Target', { value: domain.regionalDomainName }).overrideLogicalId('ApiDomainTarget')
    this.url = `https://${domainName.replace('*', 'connection')}`
  }
}
