import { Aws } from 'aws-cdk-lib'
import { LogLevel, type LogOptions } from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'
import { KeptLogs } from './kept-logs.ts'
import { once } from './once.ts'

/**
 * Every step of every execution, without what passes between the steps: an input may hold what only the owner of the
 * data should read. The only trace of an execution that was stopped. Each line names its execution, and so its machine.
 *
 * The prefix keeps the account's resource policy for logs short (Step Functions Developer Guide, "Logging using CloudWatch
 * Logs").
 */
export const machineLogs = (part: Construct): LogOptions => ({
  destination: once(
    part,
    'MachineLogs',
    (stack, id) => new KeptLogs(stack, id, { logGroupName: `/aws/vendedlogs/states/${Aws.STACK_NAME}` }),
  ),
  level: LogLevel.ALL,
  includeExecutionData: false,
})
