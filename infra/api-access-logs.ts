import { Aws } from 'aws-cdk-lib'
import type { CfnStage, HttpApi } from 'aws-cdk-lib/aws-apigatewayv2'
import type { Construct } from 'constructs'
import { KeptLogs } from './kept-logs.ts'

/**
 * A line for each request, with those that the gateway refuses itself: the function never sees them. Without the query,
 * which may hold values of rows.
 *
 * The prefix keeps the account's resource policy for logs short: it covers all such groups (API Gateway Developer Guide,
 * "Configure logging for HTTP APIs").
 */
export const logRequests = (scope: Construct, http: HttpApi): void => {
  const logs = new KeptLogs(scope, 'AccessLogs', {
    logGroupName: `/aws/vendedlogs/apis/${Aws.STACK_NAME}-access`,
  })
  // Changed where it is: another stage could not be made beside it, for both would be named $default.
  const stage = http.defaultStage?.node.defaultChild as CfnStage // An HttpApi makes it, unless told not to.
  stage.accessLogSettings = { destinationArn: logs.logGroupArn, format: JSON.stringify(LINE) }
}

/** API Gateway Developer Guide, "Customize HTTP API access logs". */
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
