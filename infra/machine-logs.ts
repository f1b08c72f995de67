import { Aws } from 'aws-cdk-lib'
import { LogLevel, type LogOptions } from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'
import { KeptLogs } from './kept-logs.ts'

/**
 * Every step of every execution, without what passes between the steps: an input may hold what only the owner of the
 * data should read. The only trace of an execution that was stopped.
 *
 * The prefix keeps the account's resource policy for logs short (Step Functions Developer Guide, "Logging using CloudWatch
 * Logs").
 */
export const machineLogs = (scope: Construct, machine: string): LogOptions => ({
  destination: new KeptLogs(scope, 'MachineLogs', {
    logGroupName: `/aws/vendedlogs/states/${Aws.STACK_NAME}-${machine}`,
  }),
  level: LogLevel.ALL,
  includeExecutionData: false,
})
