import { Duration } from 'aws-cdk-lib'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import { type SweepKind, sweepKinds } from '../functions/sweep-storage/sweep-kinds.ts'
import type { SweepStorageEnv } from '../functions/sweep-storage/work.ts'
import { allowDeletingObjects, allowItems, allowPuttingObjects, allowReadingObjects } from './allow.ts'
import type { FunctionBundle } from './bundle.ts'
import type { ItemTable } from './item-table.ts'
import { LONGEST_TIMEOUT } from './node-function.ts'
import { ScheduledFunction } from './scheduled-function.ts'
import { writtenKinds } from './written-kinds.ts'

interface StorageSweepProps {
  readonly bundle: FunctionBundle
  readonly items: ItemTable
  readonly files: IBucket
  readonly tables: IBucket
  readonly snapshotRetentionDays: number
}

/** Until 0.3 the sweep kept its notes in an object. Now they are items. */
export const notesOfOldSweeps = { prefix: 'sweep/', expiration: Duration.days(2) }

/**
 * Minutes past the hour, every six hours: often enough for files that live two days. One after the other, so that a small
 * account keeps functions free, and so that snapshots go before the objects that only they name.
 */
const MINUTES: Readonly<Record<SweepKind, number>> = {
  files: 5,
  'file-objects': 15,
  'table-snapshots': 25,
  'table-objects': 40,
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
      memoryMiB: 1024, // The keys of a page: some hundred bytes each.
      timeout: LONGEST_TIMEOUT, // Pages begin in the first half of it. The next sweep continues.
      schedules: sweepKinds.map(kind => ({
        name: `Every-${kind}`,
        expression: `cron(${MINUTES[kind]} 0/6 * * ? *)`,
        input: JSON.stringify({ kind }),
      })),
      isRetried: true,
    })
    // In batches it writes notes about objects.
    allowItems(
      sweep,
      items,
      ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'BatchWriteItem', 'DeleteItem'],
      writtenKinds['sweep-storage'],
    )
    for (const bucket of [files, tables]) allowReadingObjects(sweep, bucket)
    allowDeletingObjects(sweep, files)
    allowDeletingObjects(sweep, tables, { prefix: 'tables/' })
    // Metadata without the snapshots that have expired.
    allowPuttingObjects(sweep, tables, { prefix: 'tables/*/metadata/' })
  }
}
