import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Logger } from '@aws-lambda-powertools/logger'
import { assumeRole } from '../lib/cloud/assume-role.ts'
import { readSecret } from '../lib/cloud/read-secret.ts'
import { createS3Client } from '../lib/cloud/s3-client.ts'
import {
  describeExecution,
  openMachines,
  startExecution,
  stopExecution,
} from '../lib/cloud/step-functions.ts'
import { GZIP_LIMITS } from '../lib/distributed/load-limits.ts'
import type { Environment } from '../lib/env.ts'
import type { Failure } from '../lib/errors/machine-failure.ts'
import { keptUntilFailed } from '../lib/kept-until-failed.ts'
import { createJobStarter } from '../lib/storage/jobs/start-next.ts'
import { openStorageStores } from '../lib/storage/open-storage-stores.ts'
import { parseProjectId } from '../lib/storage/project/project-id.ts'
import { createSealer } from '../lib/storage/secrets/create-sealer.ts'
import { createLazyTableEngine, type EngineRoom } from '../lib/storage/tables/lazy-table-engine.ts'
import { runOfJob } from '../lib/wire/run-body.ts'
import { readAssets } from './console/assets.ts'
import { storeOrigins } from './console/store-origins.ts'
import { withConsole } from './console/with-console.ts'
import { errorReply } from './http/failure.ts'
import { growingPause } from './jobs/await-job.ts'
import { type App, createApp } from './routes/app.ts'
import { createAuthenticate } from './services/authenticate.ts'
import { createFileAccess } from './services/file-access.ts'
import { createMasterTokens } from './services/master-tokens.ts'
import { createPreviewExtraction } from './services/preview-function.ts'
import { readCatalogue } from './services/read-catalogue.ts'
import { createRedriveExecution } from './services/redrive-execution.ts'
import { createTableAccess } from './services/table-access.ts'

/** The variables that the function's construct must set. */
export const variables = [
  /** DynamoDB table of the service's items. */
  'STORAGE_TABLE',
  /** Bucket of the file resources. */
  'FILES_BUCKET',
  /** Bucket of the table snapshots (Parquet). */
  'TABLES_BUCKET',
  /** Role for temporary file credentials, restricted by a session policy. */
  'FILE_ACCESS_ROLE_ARN',
  /** Role for temporary credentials of tables, restricted by a session policy. */
  'TABLE_ACCESS_ROLE_ARN',
  /** State machine that runs the service's asynchronous jobs. */
  'JOB_MACHINE_ARN',
  /** Secret that holds the master storage token. */
  'STORAGE_TOKEN_SECRET_ARN',
  /** So long the master token before the present one is accepted, too. */
  /** KMS key that seals the secrets in configurations. */
  'SECRETS_KEY_ARN',
  /** State machine of extractions; `none` in a stack that has none. */
  'EXTRACT_MACHINE_ARN',
  /** Name of the function that previews configurations; `none` in a stack without extractions. */
  'PREVIEW_FUNCTION',
  'PROJECT_ID',
  /** What the backend is called to clients. */
  'BACKEND_NAME',
  /** `round` or `refuse`; for defaults of columns. */
  'NUMBER_ROUNDING',
  /** Customer's KMS key of files and tables; `none` when they are under keys of AWS. */
  'DATA_KEY_ARN',
  /** Stored bytes of a load that one function still does by itself. */
  'SINGLE_LOAD_BYTES',
] as const
/** For so long the master token before the present one is accepted, too: whoever holds it has time to read the new one. */
const MASTER_TOKEN_OVERLAP_MS = 60 * 60_000

export type StorageApiEnv = (typeof variables)[number]

interface ApiRoom extends EngineRoom {
  readonly region: string
}

/** The storage service. */
export const open = (env: Environment<StorageApiEnv>, room: ApiRoom): App => {
  const { s3Endpoint } = env
  const { region } = room
  const log = new Logger({ serviceName: 'storage-api' })
  const now = () => new Date()
  const machines = openMachines({ start: startExecution, describe: describeExecution, stop: stopExecution })
  const s3 = createS3Client(env)

  const stores = openStorageStores(env, s3, now)
  const roundsNumbers = env.NUMBER_ROUNDING === 'round'

  const services = {
    ...stores,
    projectId: parseProjectId(env.PROJECT_ID),
    backend: env.BACKEND_NAME,
    roundsNumbers,
    region,
    revision: async () => (await import('../../package.json', { with: { type: 'json' } })).default.version,
    now,
    fileAccess: createFileAccess({
      s3,
      assumeRole,
      bucket: env.FILES_BUCKET,
      region,
      roleArn: env.FILE_ACCESS_ROLE_ARN,
      dataKeyArn: env.DATA_KEY_ARN,
      signer: createS3Client(env, { requestChecksumCalculation: 'WHEN_REQUIRED' }),
    }),
    acceptedLoads: { singleLoadBytes: Number(env.SINGLE_LOAD_BYTES), gzip: GZIP_LIMITS },
    tableAccess: createTableAccess({
      s3,
      assumeRole,
      bucket: env.TABLES_BUCKET,
      region,
      roleArn: env.TABLE_ACCESS_ROLE_ARN,
      dataKeyArn: env.DATA_KEY_ARN,
      // Set on one machine only: there engines must be told where the object store is.
      s3Endpoint,
    }),
    startJob: createJobStarter(machines, { jobs: env.JOB_MACHINE_ARN, runs: env.EXTRACT_MACHINE_ARN }),
    redriveExecution: createRedriveExecution(machines),
    stopRun: (jobId: number, reason: Failure) =>
      machines.stop({ machineArn: env.EXTRACT_MACHINE_ARN, name: runOfJob(jobId) }, reason),
    previewExtraction: createPreviewExtraction(env.PREVIEW_FUNCTION),
    jobWait: { limitMs: 1_000, pauseMs: growingPause, sleep: (milliseconds: number) => sleep(milliseconds) },
    tableEngine: createLazyTableEngine({ s3, tablesBucket: env.TABLES_BUCKET, roundsNumbers, ...room }),
    components: readCatalogue(join(import.meta.dirname, 'components')),
    seal: createSealer({ keyArn: env.SECRETS_KEY_ARN }),
    log,
  }

  const consoleOptions = {
    assets: () => readAssets(join(import.meta.dirname, 'console')),
    storeOrigins: storeOrigins(env.FILES_BUCKET, region, s3Endpoint),
  }

  const masterTokens = createMasterTokens({
    secretArn: env.STORAGE_TOKEN_SECRET_ARN,
    readSecret,
    overlapMs: MASTER_TOKEN_OVERLAP_MS,
    now,
  })
  const api = createApp({ ...services, authenticate: createAuthenticate(masterTokens, services) })
  const site = withConsole(api, async () => {
    const { createConsole } = await import('./console/console.tsx')
    return createConsole({ ...services, ...consoleOptions, api })
  })

  /** With the first request: whether the stack's data are ours to read. */
  const checkOnce = keptUntilFailed(() => services.checkDataFormat())

  return {
    fetch: async request => {
      try {
        await checkOnce()
        return await site.fetch(request)
      } catch (error) {
        return errorReply(error, log)
      }
    },
  }
}
