import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { S3Client } from '@aws-sdk/client-s3'
import { withinLimit } from '#lib/cloud/assume-role.ts'
import type { MergeEngine } from '#lib/distributed/merge-engine.ts'
import { NONE } from '#lib/none.ts'
import { createMergeForks } from '#lib/storage/tables/content/merge-fork.ts'
import { createExportDocuments } from '../../functions/lib/distributed/export-documents.ts'
import { createLoadDocuments } from '../../functions/lib/distributed/load-documents.ts'
import { GZIP_LIMITS, type GzipLimits } from '../../functions/lib/distributed/load-limits.ts'
import type { ItemTable } from '../../functions/lib/items/item-table.ts'
import type { StartJob } from '../../functions/lib/storage/jobs/start-next.ts'
import { createOpener } from '../../functions/lib/storage/secrets/create-opener.ts'
import { createSealer } from '../../functions/lib/storage/secrets/create-sealer.ts'
import { createStorageStores } from '../../functions/lib/storage/storage-stores.ts'
import { createS3TableFiles } from '../../functions/lib/table-engine/s3-table-files.ts'
import { createTableEngine, type TableEngine } from '../../functions/lib/table-engine/table-engine.ts'
import { previewAsked } from '../../functions/run-extractor/preview/preview-stored.ts'
import type { RunJobServices } from '../../functions/run-job/job/services.ts'
import type { PieceServices } from '../../functions/run-job/pieces/piece.ts'
import { type App, createApp } from '../../functions/storage-api/routes/app.ts'
import { createAuthenticate } from '../../functions/storage-api/services/authenticate.ts'
import { createFileAccess } from '../../functions/storage-api/services/file-access.ts'
import type { MasterTokens } from '../../functions/storage-api/services/master-tokens.ts'
import { readCatalogue } from '../../functions/storage-api/services/read-catalogue.ts'
import type { RedriveExecution } from '../../functions/storage-api/services/redrive-execution.ts'
import type { Services } from '../../functions/storage-api/services/services.ts'
import { createTableAccess } from '../../functions/storage-api/services/table-access.ts'
import { startEmbeddedS3 } from '../../local/s3/server.ts'
import { checkReply, type Reply } from './check-reply.ts'
import { executeJob, type JobServices } from './execute-job.ts'
import type { ExtractRuns } from './execute-run.ts'
import { guardWrites } from './guard-writes.ts'
import { createJobLine } from './job-line.ts'
import { startKeyService } from './key-service.ts'
import { startItemTable } from './start-item-table.ts'
import { roleArn, storageRoles, tableRoleArn } from './storage-roles.ts'
import { storageSteps } from './storage-steps.ts'
import { untilEnd } from './until-end.ts'

const GiB = 1024 ** 3
const region = 'us-east-1'
const filesBucket = 'files'
const tablesBucket = 'tables'
export const rootKey = { accessKeyId: 'test', secretAccessKey: 'test-secret' }

export interface StorageServiceOptions {
  now?: () => Date
  /** Stands between the stores and their items: to make a write fail, or to count. */
  items?: (items: ItemTable) => ItemTable
  /** Default: the service's `token`, for ever. */
  masterTokens?: MasterTokens
  /** Stands between the jobs and the table engine. */
  engine?: (engine: TableEngine) => TableEngine
  /** `false`: a started job waits until the test runs it. */
  isRunningJobs?: boolean
  /** Numbers with more digits than their column holds are rounded; default: refused. */
  roundsNumbers?: boolean
  /** Loads of more bytes are cut and staged; default 2 GiB. */
  singleLoadBytes?: number
  /** What is uncompressed of one slice of a larger load. */
  gzipLimits?: GzipLimits
  /** Staged bytes that are merged by primary key; default 2 GiB. */
  singleMergeBytes?: number
  /** Merges more; default: nothing does. */
  mergeEngine?: (service: { s3Endpoint: string }) => MergeEngine
  /** Bytes of CSV in one range of a large load; default 256 MiB. */
  rangeBytes?: number
  /** Runs configurations; default: no test expects a run. */
  extractRuns?: ExtractRuns
  stopRun?: Services['stopRun']
  /** Starts executions of dead letters; default: no test expects one. */
  redriveExecution?: RedriveExecution
  /** What functions wrote; default: nothing, in an account. */
  /** Private hosts that previews may ask. */
  allowedHosts?: readonly string[]
  /** In place of the starter that runs jobs in this process. */
  startJob?: StartJob
  /** Default: generous ones. */
  /** How long requests wait for jobs. Default 100 s: tests see finished jobs on a busy machine too. */
  jobWaitMs?: number
  /** What a request does between two looks at a job; default: sleep. */
  pause?: (milliseconds: number) => Promise<void>
}

const oneMasterToken = (token: string): MasterTokens => ({
  known: async () => [token],
  readAgain: async () => [token],
})

const noExtractRuns: ExtractRuns = {
  start: () => Promise.reject(new Error('No run of a configuration was expected')),
  describe: () => Promise.reject(new Error('No run of a configuration was expected')),
}

/** The storage service in this process: items in memory, the embedded S3, the app, and jobs run by their real core. */
export const startStorageService = async (options: StorageServiceOptions = {}) => {
  const { now = () => new Date(), isRunningJobs = true, jobWaitMs = 100_000, allowedHosts = [] } = options
  const { roundsNumbers = false } = options
  const dataDir = await mkdtemp(path.join(tmpdir(), 'storage-service-'))
  const s3Server = await startEmbeddedS3({
    dataDir: path.join(dataDir, 's3'),
    root: rootKey,
    roles: storageRoles(filesBucket, tablesBucket),
  })
  await s3Server.createBucket(filesBucket, { acceptsAcls: true })
  await s3Server.createBucket(tablesBucket)
  const database = await startItemTable()
  const keys = await startKeyService()

  const s3Client = { endpoint: s3Server.endpoint, region, credentials: rootKey, forcePathStyle: true }
  const s3 = new S3Client(s3Client)
  const signer = new S3Client({ ...s3Client, requestChecksumCalculation: 'WHEN_REQUIRED' })
  const plainItems = guardWrites(database.items)
  const stores = createStorageStores({
    items: options.items?.(plainItems) ?? plainItems,
    s3,
    tablesBucket,
    now,
  })
  const plainEngine = createTableEngine({
    s3,
    tablesBucket,
    scratchDir: path.join(dataDir, 'scratch'),
    memoryLimitMiB: 256,
    threads: 1,
    roundsNumbers,
  })
  const wrapped = (inner: TableEngine): TableEngine => ({
    ...(options.engine?.(inner) ?? inner),
    until: signal => wrapped(inner.until(signal)),
  })
  const engine = wrapped(plainEngine)

  const token = '7-42-secretOfTheTest'
  const logged: { message: string; extra: Record<string, unknown> }[] = []
  const jobLog: Record<string, unknown>[] = []
  const counted: Parameters<RunJobServices['count']>[0][] = []
  const log = {
    info: () => {},
    error: (message: string, extra: Record<string, unknown>) => void logged.push({ message, extra }),
  }
  const jobsUnderWay = new Map<number, Promise<void>>()
  const startedJobs: number[] = []
  /** When each job that runs in this process, and each that it started, is over. */
  const jobsEnded = async (): Promise<void> => {
    let seen: number
    do {
      seen = jobsUnderWay.size
      await Promise.all(jobsUnderWay.values())
    } while (jobsUnderWay.size > seen)
  }
  const line = createJobLine()
  const runInThisProcess = async (jobId: number): Promise<void> => {
    await executeJob(jobId, jobServices, () => line.untilOldest(jobId))
    line.ended()
  }
  const startJob: StartJob = async (job, failure) => {
    const jobId = job.id
    startedJobs.push(jobId)
    if (options.startJob) return options.startJob(job, failure)
    if (isRunningJobs && !jobsUnderWay.has(jobId)) jobsUnderWay.set(jobId, runInThisProcess(jobId))
    return 'running'
  }
  const openSecrets = createOpener(keys)
  const documents = createLoadDocuments(s3, tablesBucket)
  const exportDocuments = createExportDocuments(s3, tablesBucket)
  const pieces: PieceServices = {
    s3,
    tablesBucket,
    files: createS3TableFiles({ s3, tablesBucket }),
    documents,
    exports: exportDocuments,
    tableEngine: async () => engine,
    rangeBytes: options.rangeBytes ?? 256 * 1024 ** 2,
    gzipLimits: options.gzipLimits ?? GZIP_LIMITS,
  }
  const mergeEngine = options.mergeEngine?.({ s3Endpoint: s3Server.endpoint })
  const jobServices: JobServices = {
    pieces,
    ...stores,
    projectId: 7,
    backend: 'snowflake',
    roundsNumbers,
    s3,
    filesBucket,
    tableEngine: async () => engine,
    startJob,
    distribution: {
      singleLoadBytes: options.singleLoadBytes ?? 2 * GiB,
      singleMergeBytes: options.singleMergeBytes ?? 2 * GiB,
      documents,
      merges: mergeEngine && {
        forks: createMergeForks(s3, tablesBucket),
        engine: async () => mergeEngine,
        script: path.resolve(import.meta.dirname, '../../functions/run-job/merge/merge-rows.py'),
      },
      singleExportBytes: 2 * GiB,
      exportPartBytes: 256 * 1024 ** 2,
      exports: exportDocuments,
    },
    extractRuns: options.extractRuns ?? noExtractRuns,
    noteState: async (jobId, state) => {
      const { status, text } = await call('PUT', `/v2/storage/runs/run-${jobId}/progress`, { state })
      if (status !== 204) throw new Error(`The run ${jobId} could not say its state: ${text}`)
    },
    count: job => void counted.push(job),
    now,
    log: {
      ...log,
      appendKeys: () => {},
      info: (message, extra) => void jobLog.push({ message, ...extra }),
      warn: (message, extra) => void jobLog.push({ message, ...extra }),
    },
  }
  const app: App = createApp({
    ...stores,
    projectId: 7,
    backend: 'snowflake',
    roundsNumbers,
    region,
    revision: async () => '0.0.0-test',
    now,
    authenticate: createAuthenticate(options.masterTokens ?? oneMasterToken(token), {
      tokens: stores.tokens,
      now,
    }),
    acceptedLoads: {
      singleLoadBytes: options.singleLoadBytes ?? 2 * GiB,
      gzip: options.gzipLimits ?? GZIP_LIMITS,
    },
    fileAccess: createFileAccess({
      s3,
      assumeRole: withinLimit(s3Server.assumeRole),
      bucket: filesBucket,
      region,
      roleArn,
      dataKeyArn: NONE,
      signer,
    }),
    tableAccess: createTableAccess({
      s3,
      assumeRole: withinLimit(s3Server.assumeRole),
      bucket: tablesBucket,
      region,
      roleArn: tableRoleArn,
      dataKeyArn: NONE,
      s3Endpoint: s3Server.endpoint,
    }),
    startJob,
    redriveExecution:
      options.redriveExecution ?? (() => Promise.reject(new Error('No redrive was expected'))),
    stopRun: options.stopRun ?? (async () => {}),
    previewExtraction: request =>
      previewAsked(request, {
        openSecrets: (value, reader) => openSecrets(value, { ...reader, projectId: 7 }),
        allowedHosts,
        scratchFolder: path.join(dataDir, 'previews'),
      }),
    jobWait: {
      limitMs: jobWaitMs,
      pauseMs: () => 50,
      sleep: options.pause ?? line.untilEnd,
    },
    tableEngine: async () => engine,
    components: readCatalogue(path.resolve(import.meta.dirname, '../../functions/storage-api/components')),
    seal: createSealer(keys),
    log,
  })

  const fetchReply = async (request: Request): Promise<Reply> => {
    const response = await app.fetch(request)
    const text = await response.text()
    const isJson = response.headers.get('content-type') === 'application/json'
    const body = isJson && text !== '' ? JSON.parse(text) : undefined
    if (isJson) checkReply(request, response.status, body)
    return { status: response.status, headers: response.headers, text, body }
  }

  /** One request with the master token; a body that is no text is sent as JSON. */
  const call = (
    method: string,
    target: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> =>
    fetchReply(
      new Request(`http://storage.test${target}`, {
        method,
        headers: {
          'X-StorageApi-Token': token,
          ...(body !== undefined && typeof body !== 'string' && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    )

  return {
    app,
    token,
    s3,
    s3Endpoint: s3Server.endpoint,
    makeS3Bucket: s3Server.createBucket,
    assumeRole: s3Server.assumeRole,
    items: plainItems,
    /** What keeps its items. */
    itemStore: database.store,
    roleArn,
    tableRoleArn,
    filesBucket,
    tablesBucket,
    stores,
    keys,
    jobServices,
    startedJobs,
    logged,
    /** Lines of jobs that are no errors, and the jobs that were counted. */
    jobLog,
    counted,
    fetchReply,
    call,

    ...storageSteps(call, s3),

    jobsEnded,

    async close(): Promise<void> {
      await jobsEnded()
      s3.destroy()
      await database.close()
      await keys.close()
      await s3Server.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export type StorageService = Awaited<ReturnType<typeof startStorageService>>

/** The service for one test, or for all of a file: it ends with them. */
export const withStorage = (options?: StorageServiceOptions): Promise<StorageService> =>
  untilEnd(startStorageService(options))
