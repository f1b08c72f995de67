import { readEnv } from '../lib/aws/env.ts'
import { createS3Client } from '../lib/aws/s3-client.ts'
import { createExportDocuments } from '../lib/distributed/export-documents.ts'
import { createLoadDocuments } from '../lib/distributed/load-documents.ts'
import { GZIP_LIMITS } from '../lib/distributed/load-limits.ts'
import { createLazyTableEngine } from '../lib/storage/tables/lazy-table-engine.ts'
import { createS3TableFiles } from '../lib/table-engine/s3-table-files.ts'
import type { SplitWorkEvent } from './event.ts'
import { splitWork } from './split-work.ts'

const env = readEnv([
  /** Bucket of the table snapshots (Parquet). */
  'TABLES_BUCKET',
  /** Bytes of CSV that one invocation scans or stages. */
  'LOAD_RANGE_BYTES',
])
/** The variables that the function's construct must set. */
export type SplitWorkEnv = keyof typeof env

const s3 = createS3Client()
const tablesBucket = env.TABLES_BUCKET
const services = {
  s3,
  tablesBucket,
  files: createS3TableFiles({ s3, tablesBucket }),
  documents: createLoadDocuments(s3, tablesBucket),
  exports: createExportDocuments(s3, tablesBucket),
  tableEngine: createLazyTableEngine(s3, tablesBucket),
  rangeBytes: Number(env.LOAD_RANGE_BYTES),
  gzipLimits: GZIP_LIMITS,
}

export const run = (event: SplitWorkEvent) => splitWork(event, services)
