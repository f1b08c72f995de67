import { join } from 'node:path'
import type { Logger } from '@aws-lambda-powertools/logger'
import type { S3Client } from '@aws-sdk/client-s3'
import { createS3Client } from '../lib/cloud/s3-client.ts'
import { describeExecution, openMachines, startExecution } from '../lib/cloud/step-functions.ts'
import { createExportDocuments } from '../lib/distributed/export-documents.ts'
import { createLoadDocuments } from '../lib/distributed/load-documents.ts'
import { GZIP_LIMITS } from '../lib/distributed/load-limits.ts'
import type { StepEvent } from '../lib/drive/step.ts'
import type { Environment } from '../lib/env.ts'
import { keptUntilFailed } from '../lib/kept-until-failed.ts'
import { NONE } from '../lib/none.ts'
import { createJobStarter } from '../lib/storage/jobs/start-next.ts'
import { openStorageStores } from '../lib/storage/open-storage-stores.ts'
import { parseProjectId } from '../lib/storage/project/project-id.ts'
import { createMergeForks } from '../lib/storage/tables/content/merge-fork.ts'
import { createLazyTableEngine, type EngineRoom } from '../lib/storage/tables/lazy-table-engine.ts'
import { createS3TableFiles } from '../lib/table-engine/s3-table-files.ts'
import { createCountJob } from './job/log-job.ts'
import type { LargeMerges } from './job/services.ts'
import { doPiece } from './pieces/do-piece.ts'
import { jobStep, runJob } from './run-job.ts'

/** The variables that the function's construct must set. */
export const variables = [
  /** DynamoDB table of the service's items. */
  'STORAGE_TABLE',
  /** Bucket of the file resources. */
  'FILES_BUCKET',
  /** Bucket of the table snapshots (Parquet). */
  'TABLES_BUCKET',
  /** Days for which the earlier snapshots of a table stay readable. */
  'SNAPSHOT_RETENTION_DAYS',
  /** State machine of the service's asynchronous jobs: a blocked job starts the one before it if nobody did. */
  'JOB_MACHINE_ARN',
  /** State machine that runs configurations: behind a run that it has closed comes the next. */
  'EXTRACT_MACHINE_ARN',
  'PROJECT_ID',
  /** What the backend is called to clients. */
  'BACKEND_NAME',
  /** `round` or `refuse`: what becomes of a number with more digits than its column holds. */
  'NUMBER_ROUNDING',
  /** Stored bytes of a load that one function still does by itself. */
  'SINGLE_LOAD_BYTES',
  /** Staged bytes that one function merges into a table by its primary key; a fourth of them is sorted for an export. */
  'SINGLE_MERGE_BYTES',
  /** What merges more, in JSON: id of an application of EMR Serverless and the role of its runs; or `NONE`. */
  'MERGE_APPLICATION',
  /** Bytes of a table that one function still exports by itself. */
  'SINGLE_EXPORT_BYTES',
  /** Bytes of the table in each part of a larger export. */
  'EXPORT_PART_BYTES',
  /** Bytes of CSV that one piece of a larger load scans or stages. */
  'LOAD_RANGE_BYTES',
] as const
export type RunJobEnv = (typeof variables)[number]

export const open = (env: Environment<RunJobEnv>, room: EngineRoom) => {
  const now = () => new Date()
  const s3 = createS3Client(env)
  const machines = openMachines({ start: startExecution, describe: describeExecution })
  const roundsNumbers = env.NUMBER_ROUNDING === 'round'
  const services = {
    ...openStorageStores(env, s3, now),
    projectId: parseProjectId(env.PROJECT_ID),
    backend: env.BACKEND_NAME,
    roundsNumbers,
    s3,
    filesBucket: env.FILES_BUCKET,
    startJob: createJobStarter(machines, { jobs: env.JOB_MACHINE_ARN, runs: env.EXTRACT_MACHINE_ARN }),
    distribution: {
      singleLoadBytes: Number(env.SINGLE_LOAD_BYTES),
      singleMergeBytes: Number(env.SINGLE_MERGE_BYTES),
      documents: createLoadDocuments(s3, env.TABLES_BUCKET),
      merges: largeMerges(env, s3),
      singleExportBytes: Number(env.SINGLE_EXPORT_BYTES),
      exportPartBytes: Number(env.EXPORT_PART_BYTES),
      exports: createExportDocuments(s3, env.TABLES_BUCKET),
    },
    count: createCountJob(),
    now,
  }

  const { documents, exports } = services.distribution
  const pieces = {
    s3,
    tablesBucket: env.TABLES_BUCKET,
    files: createS3TableFiles({ s3, tablesBucket: env.TABLES_BUCKET }),
    documents,
    exports,
    rangeBytes: Number(env.LOAD_RANGE_BYTES),
    gzipLimits: GZIP_LIMITS,
  }

  const openEngine = createLazyTableEngine({ s3, tablesBucket: env.TABLES_BUCKET, roundsNumbers, ...room })

  return (step: StepEvent, log: Logger, signal: AbortSignal) => {
    const tableEngine = async () => (await openEngine()).until(signal)
    return jobStep(step, {
      run: event => runJob(event, { ...services, tableEngine, log }),
      documents,
      doPiece: piece => doPiece(piece, { ...pieces, tableEngine }),
    })
  }
}

const largeMerges = (env: Environment<RunJobEnv>, s3: S3Client): LargeMerges | undefined => {
  const { MERGE_APPLICATION: named, TABLES_BUCKET: bucket } = env
  if (named === NONE) return undefined
  return {
    forks: createMergeForks(s3, bucket),
    script: join(import.meta.dirname, 'merge', 'merge-rows.py'),
    // Its client is loaded where there is something to merge.
    engine: keptUntilFailed(async () => (await import('./merge/emr-serverless.ts')).emrServerless(named)),
  }
}
