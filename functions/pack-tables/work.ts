import { SFNClient } from '@aws-sdk/client-sfn'
import { readEnv } from '../lib/aws/env.ts'
import { createS3Client } from '../lib/aws/s3-client.ts'
import { createTableRequests } from '../lib/aws/table-requests.ts'
import { createItemTable } from '../lib/storage/db/item-table.ts'
import { createJobStarter } from '../lib/storage/jobs/start-next.ts'
import { openStorageStores } from '../lib/storage/open-storage-stores.ts'
import { createPackingLedger } from '../lib/storage/tables/packing-ledger.ts'
import { type PackServices, packTables } from './pack-tables.ts'

const env = readEnv([
  /** DynamoDB table of the service's items. */
  'STORAGE_TABLE',
  /** Bucket of the table snapshots (Parquet). */
  'TABLES_BUCKET',
  /** State machine that runs jobs. */
  'JOB_MACHINE_ARN',
  /** Tables of more bytes outgrow one function. */
  'SINGLE_MERGE_BYTES',
  /** Bytes that queries may rewrite on one day. */
  'OPTIMIZE_BYTES_PER_DAY',
])
/** The variables that the function's construct must set. */
export type PackTablesEnv = keyof typeof env

const now = () => new Date()
const services = {
  ...openStorageStores(env, createS3Client(), now),
  ledger: createPackingLedger(createItemTable(createTableRequests(), env.STORAGE_TABLE)),
  startJob: createJobStarter(new SFNClient({}), env.JOB_MACHINE_ARN),
  singleMergeBytes: Number(env.SINGLE_MERGE_BYTES),
  bytesPerDay: Number(env.OPTIMIZE_BYTES_PER_DAY),
  now,
}

export const run = (log: PackServices['log']) => packTables({ ...services, log })
