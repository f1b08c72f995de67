import { Duration } from 'aws-cdk-lib'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import type { StartOpenJobsEnv } from '../functions/start-open-jobs/work.ts'
import { allow, allowItems } from './allow.ts'
import type { FunctionBundle } from './bundle.ts'
import { alarmOnFailures } from './failures-alarm.ts'
import type { ItemTable } from './item-table.ts'
import { NodeFunction } from './node-function.ts'

interface OpenJobsProps {
  readonly bundle: FunctionBundle
  readonly items: ItemTable
  readonly jobMachineArn: string
  readonly jobExecutionArns: string
  readonly alarms: ITopic
}

/** Each minute, starts the jobs that were accepted but not started. */
export class OpenJobs extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { bundle, items, jobMachineArn, jobExecutionArns, alarms }: OpenJobsProps,
  ) {
    super(scope, id)
    const start = new NodeFunction<StartOpenJobsEnv>(this, 'Start', {
      bundle,
      description: 'Starts jobs of the storage service that were accepted and not started',
      environment: { STORAGE_TABLE: items.tableName, JOB_MACHINE_ARN: jobMachineArn },
      memoryMiB: 512,
      timeout: Duration.seconds(55), // The next minute comes anyway.
    })
    allowItems(start, items, ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'DeleteItem'])
    allow(start, ['states:StartExecution'], [jobMachineArn])
    allow(start, ['states:DescribeExecution'], [jobExecutionArns])
    alarmOnFailures(this, {
      runs: start,
      alarms,
      means: 'Jobs that were accepted and not started stay where they are until somebody polls them.',
    })

    const role = new Role(this, 'ScheduleRole', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com'),
    })
    allow(role, ['lambda:InvokeFunction'], [start.functionArn])
    new CfnSchedule(this, 'EveryMinute', {
      scheduleExpression: 'rate(1 minute)',
      flexibleTimeWindow: { mode: 'OFF' },
      target: {
        arn: start.functionArn,
        roleArn: role.roleArn,
        retryPolicy: { maximumRetryAttempts: 0 },
      },
    })
  }
}
