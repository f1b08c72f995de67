import { Duration } from 'aws-cdk-lib'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import type { PackTablesEnv } from '../functions/pack-tables/work.ts'
import { allow, allowItems, allowReadingObjects } from './allow.ts'
import type { FunctionBundle } from './bundle.ts'
import type { ItemTable } from './item-table.ts'
import { LONGEST_TIMEOUT } from './node-function.ts'
import { OperatorAlarm } from './operator-alarm.ts'
import { ScheduledFunction } from './scheduled-function.ts'
import { writtenKinds } from './written-kinds.ts'

interface TablePackingProps {
  readonly bundle: FunctionBundle
  readonly items: ItemTable
  readonly tables: IBucket
  readonly jobMachineArn: string
  readonly jobExecutionArns: string
  readonly singleMergeBytes: number
  readonly optimizeBytesPerDay: number
  readonly alarms: ITopic
}

/** At night in most of Europe and America. A day's bytes are counted from midnight, in UTC. */
const EACH_DAY = 'cron(30 3 * * ? *)'

/** Lambda tries a call of the schedule so often. */
const ATTEMPTS = 3

/** Each day, starts jobs that let Athena pack the files of large tables. */
export class TablePacking extends Construct {
  constructor(scope: Construct, id: string, props: TablePackingProps) {
    super(scope, id)
    const { bundle, items, tables, jobMachineArn, jobExecutionArns, alarms } = props
    const pack = new ScheduledFunction<PackTablesEnv>(this, 'Start', {
      bundle,
      description: 'Starts jobs that pack the files of large tables',
      environment: {
        STORAGE_TABLE: items.tableName,
        TABLES_BUCKET: tables.bucketName,
        JOB_MACHINE_ARN: jobMachineArn,
        SINGLE_MERGE_BYTES: String(props.singleMergeBytes),
        OPTIMIZE_BYTES_PER_DAY: String(props.optimizeBytesPerDay),
      },
      memoryMiB: 1024, // The lists of files of large tables.
      timeout: LONGEST_TIMEOUT,
      schedules: [{ name: 'EachDay', expression: EACH_DAY }],
      isRetried: true,
      restsFor: Duration.hours(36),
      means: 'Large tables are not packed: reading them gets slower. Nothing is lost.',
      alarms,
    })
    // In batches it writes events: about tables that do not fit into the day.
    allowItems(pack, items, ['GetItem', 'Query', 'PutItem', 'BatchWriteItem'], writtenKinds['pack-tables'])
    allowReadingObjects(pack, tables)
    allow(pack, ['states:StartExecution'], [jobMachineArn])
    allow(pack, ['states:DescribeExecution'], [jobExecutionArns])
    new OperatorAlarm(this, 'Failed', {
      alarms,
      watches: pack,
      metric: pack.metricErrors({ period: Duration.days(1) }),
      threshold: ATTEMPTS,
      means: 'Large tables were not packed today: reading them gets slower. Nothing is lost.',
      toDo: `The log of ${pack.functionName} says why. The next day tries again.`,
    })
  }
}
