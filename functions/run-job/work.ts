import type { Logger } from '@aws-lambda-powertools/logger'
import { SFNClient } from '@aws-sdk/client-sfn'
import { z } from 'zod'
import { readEnv } from '../lib/aws/env.ts'
import { createS3Client } from '../lib/aws/s3-client.ts'
import { createExportDocuments } from '../lib/distributed/export-documents.ts'
import { createLoadDocuments } from '../lib/distributed/load-documents.ts'
import { createMergeNotes } from '../lib/distributed/merge-notes.ts'
import { NO_GLUE_DATABASE } from '../lib/distributed/no-glue-database.ts'
import { createDispatcher } from '../lib/extractor/http/dispatcher.ts'
import { createJobStarter } from '../lib/storage/jobs/job-starter.ts'
import { openStorageStores } from '../lib/storage/open-storage-stores.ts'
import { parseProjectId } from '../lib/storage/project/project-id.ts'
import { createLazyTableEngine } from '../lib/storage/tables/lazy-table-engine.ts'
import { createCountJob } from './count-jobs.ts'
import { runJobEnvNames } from './env-names.ts'
import type { RunJobEvent } from './event.ts'
import { createExtractRuns } from './extract-runs.ts'
import { dataUrlLimits } from './operations/data-url.ts'
import { runJob } from './run-job.ts'

const env = readEnv(runJobEnvNames)
const now = () => new Date()
const s3 = createS3Client()
const stepFunctions = new SFNClient({})
const allowedHosts = z.array(z.string()).parse(JSON.parse(env.ALLOWED_HOSTS))
const dispatcher = createDispatcher({
  connectTimeoutSeconds: 10,
  requestTimeoutSeconds: 60,
  guard: true,
  allowedPrivateHosts: allowedHosts,
  connections: 4,
})
const services = {
  ...openStorageStores(env, s3, now),
  projectId: parseProjectId(env.PROJECT_ID),
  s3,
  filesBucket: env.FILES_BUCKET,
  tableEngine: createLazyTableEngine(s3, env.TABLES_BUCKET),
  ...(env.GLUE_DATABASE !== NO_GLUE_DATABASE && { stagedMerges: createMergeNotes(s3, env.TABLES_BUCKET) }),
  startJob: createJobStarter(stepFunctions, env.JOB_MACHINE_ARN),
  extractRuns: createExtractRuns(stepFunctions, env.EXTRACT_MACHINE_ARN),
  distribution: {
    isOn: env.DISTRIBUTED === 'true',
    singleLoadBytes: Number(env.SINGLE_LOAD_BYTES),
    singleMergeBytes: Number(env.SINGLE_MERGE_BYTES),
    documents: createLoadDocuments(s3, env.TABLES_BUCKET),
    singleExportBytes: Number(env.SINGLE_EXPORT_BYTES),
    exportPartBytes: Number(env.EXPORT_PART_BYTES),
    exports: createExportDocuments(s3, env.TABLES_BUCKET),
  },
  dataUrls: { dispatcher, allowedHosts, limits: dataUrlLimits },
  count: createCountJob(),
  now,
}

export const run = (event: RunJobEvent, log: Logger) => runJob(event, { ...services, log })
