import { readEnv } from '../lib/aws/env.ts'
import { createS3Client } from '../lib/aws/s3-client.ts'
import { GZIP_LIMITS } from '../lib/distributed/gzip-limits.ts'
import { createLoadDocuments } from '../lib/distributed/load-documents.ts'
import { createLazyTableEngine } from '../lib/storage/tables/lazy-table-engine.ts'
import { createS3TableFiles } from '../lib/table-engine/s3-table-files.ts'
import { stageLoadEnvNames } from './env-names.ts'
import type { StageLoadEvent } from './event.ts'
import { stageLoad } from './stage-load.ts'

const env = readEnv(stageLoadEnvNames)
const s3 = createS3Client()
const tablesBucket = env.TABLES_BUCKET
const services = {
  s3,
  tablesBucket,
  files: createS3TableFiles({ s3, tablesBucket }),
  documents: createLoadDocuments(s3, tablesBucket),
  tableEngine: createLazyTableEngine(s3, tablesBucket),
  rangeBytes: Number(env.LOAD_RANGE_BYTES),
  gzipLimits: GZIP_LIMITS,
}

export const run = (event: StageLoadEvent) => stageLoad(event, services)
