import { AthenaClient } from '@aws-sdk/client-athena'
import { GlueClient } from '@aws-sdk/client-glue'
import { createMeasure } from '../lib/aws/create-measure.ts'
import { readEnv } from '../lib/aws/env.ts'
import { createS3Client } from '../lib/aws/s3-client.ts'
import { createMergeNotes } from '../lib/distributed/merge-notes.ts'
import { createGlueCatalog } from '../lib/iceberg/glue/glue-catalog.ts'
import { openStorageStores } from '../lib/storage/open-storage-stores.ts'
import { createLazyTableEngine } from '../lib/storage/tables/lazy-table-engine.ts'
import type { MergeByQueryEvent } from './event.ts'
import { mergeByQuery } from './merge-by-query.ts'
import { createQueries } from './queries.ts'

const env = readEnv([
  /** DynamoDB table of the service's items. */
  'STORAGE_TABLE',
  /** Bucket of the table snapshots (Parquet). */
  'TABLES_BUCKET',
  /** Days for which the earlier snapshots of a table stay readable. */
  'SNAPSHOT_RETENTION_DAYS',
  /** Database of the Glue Data Catalog. */
  'GLUE_DATABASE',
  /** Workgroup of Athena: it bounds what a query may scan, and says where results go. */
  'ATHENA_WORKGROUP',
  /** Seconds after which a query is stopped. */
  'QUERY_TIMEOUT_SECONDS',
])
/** The variables that the function's construct must set. */
export type MergeByQueryEnv = keyof typeof env

const now = () => new Date()
const s3 = createS3Client()
const services = {
  ...openStorageStores(env, s3, now),
  catalog: createGlueCatalog(new GlueClient({}), env.GLUE_DATABASE),
  queries: createQueries(new AthenaClient({}), {
    workGroup: env.ATHENA_WORKGROUP,
    database: env.GLUE_DATABASE,
  }),
  notes: createMergeNotes(s3, env.TABLES_BUCKET),
  tableEngine: createLazyTableEngine(s3, env.TABLES_BUCKET),
  queryTimeoutSeconds: Number(env.QUERY_TIMEOUT_SECONDS),
  measure: createMeasure('queries'),
  now,
}

export const run = (event: MergeByQueryEvent) => mergeByQuery(event, services)
