import { readEnv } from '../lib/aws/env.ts'
import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
import { createS3Client } from '../lib/aws/s3-client.ts'
import { createLoadDocuments } from '../lib/distributed/load-documents.ts'
import { createLazyTableEngine } from '../lib/storage/tables/lazy-table-engine.ts'
import { createS3TableFiles } from '../lib/table-engine/s3-table-files.ts'
import { stageLoadEnvNames } from './env-names.ts'
import { stageLoadEvent } from './event.ts'
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
}

/** One step of a load that outgrows one function: a part of the work, of which nothing is visible before `run-job` commits. */
export const handler = lambdaHandler({
  service: 'stage-load',
  event: stageLoadEvent,
  run: event => stageLoad(event, services),
})
