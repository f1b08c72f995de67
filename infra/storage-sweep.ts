import type { IBucket } from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import type { SweepStorageEnv } from '../functions/sweep-storage/work.ts'
import { allowDeletingObjects, allowItems, allowPuttingObjects, allowReadingObjects } from './allow.ts'
import type { FunctionBundle } from './bundle.ts'
import type { ItemTable } from './item-table.ts'
import { ScheduledFunction } from './scheduled-function.ts'
import { writtenKinds } from './written-kinds.ts'

interface StorageSweepProps {
  readonly bundle: FunctionBundle
  readonly items: ItemTable
  readonly files: IBucket
  readonly tables: IBucket
  readonly snapshotRetentionDays: number
}

/** Removes expired files, and objects of tables that nothing refers to any more: each kind has a schedule of its own. */
export class StorageSweep extends Construct {
  constructor(scope: Construct, id: string, props: StorageSweepProps) {
    super(scope, id)
    const { bundle, items, files, tables, snapshotRetentionDays } = props
    const sweep = new ScheduledFunction<SweepStorageEnv>(this, 'Function', {
      bundle,
      description: 'Removes expired files and what superseded tables have left',
      environment: {
        STORAGE_TABLE: items.tableName,
        FILES_BUCKET: files.bucketName,
        TABLES_BUCKET: tables.bucketName,
        SNAPSHOT_RETENTION_DAYS: String(snapshotRetentionDays),
      },
    })
    // In batches it writes notes about objects.
    allowItems(
      sweep,
      items,
      ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'BatchWriteItem', 'DeleteItem'],
      writtenKinds['sweep-storage'],
    )
    for (const bucket of [files, tables]) allowReadingObjects(sweep, bucket)
    allowDeletingObjects(sweep, files)
    allowDeletingObjects(sweep, tables, { prefix: 'tables/' })
    // Metadata without the snapshots that have expired.
    allowPuttingObjects(sweep, tables, { prefix: 'tables/*/metadata/' })
  }
}
