import { join } from 'node:path'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import type { FireTriggersEnv } from '../functions/fire-triggers/work.ts'
import { documentPrefix } from '../functions/lib/storage/db/document-prefix.ts'
import { allow, allowItems, allowPuttingObjects, allowReadingObjects } from './allow.ts'
import type { FunctionBundle } from './bundle.ts'
import type { ItemTable } from './item-table.ts'
import { projectRoot } from './project-root.ts'
import { runnableComponents } from './runnable-components.ts'
import { ScheduledFunction } from './scheduled-function.ts'
import { writtenKinds } from './written-kinds.ts'

interface FiringTriggersProps {
  readonly bundle: FunctionBundle
  readonly items: ItemTable
  readonly tables: IBucket
  readonly jobMachineArn: string
  readonly jobExecutionArns: string
  /** Whether the stack runs configurations. Otherwise a trigger says in its event that none can be run. */
  readonly hasExtractions: boolean
  /** Address of the storage API. */
  readonly url: string
}

/** Each minute, runs the configurations of triggers whose tables were imported. */
export class FiringTriggers extends Construct {
  constructor(scope: Construct, id: string, props: FiringTriggersProps) {
    super(scope, id)
    const { bundle, items, tables, jobMachineArn, jobExecutionArns, hasExtractions, url } = props
    const fire = new ScheduledFunction<FireTriggersEnv>(this, 'Fire', {
      bundle,
      description: 'Runs the configurations of triggers whose tables were imported',
      environment: {
        STORAGE_TABLE: items.tableName,
        TABLES_BUCKET: tables.bucketName,
        JOB_MACHINE_ARN: jobMachineArn,
        STORAGE_URL: url,
        RUNNABLE_COMPONENTS: JSON.stringify(
          hasExtractions ? runnableComponents(join(projectRoot, 'functions/storage-api/components')) : [],
        ),
      },
    })
    allowItems(
      fire,
      items,
      ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'BatchWriteItem', 'DeleteItem'],
      writtenKinds['fire-triggers'],
    )
    // Configurations that are too large for an item. Reading one finishes what a writer that died has begun.
    allowReadingObjects(fire, tables)
    allowPuttingObjects(fire, tables, { prefix: documentPrefix })
    allow(fire, ['states:StartExecution'], [jobMachineArn])
    allow(fire, ['states:DescribeExecution'], [jobExecutionArns])
  }
}
