import { z } from 'zod'
import { UserError } from '../errors.ts'
import { type ApiRequest, type Connection, request } from './request.ts'
import { type Job, jobSchema, type PreparedFile, preparedFileSchema } from './wire.ts'

export interface CsvFormat {
  delimiter?: string | undefined
  enclosure?: string | undefined
  /** Names of the columns, in file order; then the file has no header. */
  columns?: string[] | undefined
}

export interface TableImport extends CsvFormat {
  tableId: string
  dataFileId: number
  incremental: boolean
}

export interface TableCreation extends CsvFormat {
  bucketId: string
  name: string
  dataFileId: number
  primaryKey: string[]
}

/** The storage service through its HTTP API: ours or a hosted one, told apart by nothing but address and token. */
export interface StorageClient {
  prepareFile(file: { name: string; sizeBytes: number; tags: string[] }): Promise<PreparedFile>
  deleteFile(fileId: number): Promise<void>
  /** Whether the bucket exists. */
  hasBucket(bucketId: string): Promise<boolean>
  /** Creates `in|out.c-<name>`; a bucket that exists by now is a success. */
  createBucket(bucketId: string): Promise<void>
  hasTable(tableId: string): Promise<boolean>
  createTable(creation: TableCreation, idempotencyKey: string): Promise<Job>
  importTable(tableImport: TableImport, idempotencyKey: string): Promise<Job>
  job(jobId: number): Promise<Job>
  /** The newest job that reads this file, for services that know no idempotency key. Looks at the last 100 jobs. */
  findJobOfFile(fileId: number): Promise<Job | undefined>
}

export const createStorageClient = (connection: Connection): StorageClient => {
  const call = <Result>(apiRequest: ApiRequest, schema: z.ZodType<Result>) =>
    request(connection, apiRequest, schema)

  const exists = (path: string) =>
    call({ method: 'GET', path }, z.unknown()).then(
      () => true,
      (error: unknown) => {
        if (error instanceof UserError && error.status === 404) return false
        throw error
      },
    )

  return {
    prepareFile: file =>
      call(
        {
          method: 'POST',
          path: 'files/prepare',
          body: { ...file, federationToken: 1, isEncrypted: true },
        },
        preparedFileSchema,
      ),
    deleteFile: async fileId => {
      await call({ method: 'DELETE', path: `files/${fileId}` }, z.unknown()).catch(ignoreNotFound)
    },
    hasBucket: bucketId => exists(`buckets/${encodeURIComponent(bucketId)}`),
    createBucket: async bucketId => {
      const [stage, name = ''] = bucketId.split('.')
      const body = { stage, name: name.replace(/^c-/, '') }
      await call({ method: 'POST', path: 'buckets', body }, z.unknown()).catch(ignoreAlreadyExists)
    },
    hasTable: tableId => exists(`tables/${encodeURIComponent(tableId)}`),
    createTable: ({ bucketId, primaryKey, ...creation }, idempotencyKey) =>
      call(
        {
          method: 'POST',
          path: `buckets/${encodeURIComponent(bucketId)}/tables-async`,
          body: { ...creation, ...(primaryKey.length > 0 ? { primaryKey: primaryKey.join(',') } : {}) },
          idempotencyKey,
        },
        jobSchema,
      ),
    importTable: ({ tableId, incremental, ...tableImport }, idempotencyKey) =>
      call(
        {
          method: 'POST',
          path: `tables/${encodeURIComponent(tableId)}/import-async`,
          body: { ...tableImport, incremental: incremental ? 1 : 0 },
          idempotencyKey,
        },
        jobSchema,
      ),
    job: jobId => call({ method: 'GET', path: `jobs/${jobId}` }, jobSchema),
    findJobOfFile: async fileId => {
      const jobs = await call({ method: 'GET', path: 'jobs?limit=100' }, z.array(z.unknown()))
      // Jobs of kinds that we never start may have shapes that we do not know: they are not ours.
      return jobs
        .map(job => jobSchema.safeParse(job))
        .flatMap(parsed => (parsed.success ? [parsed.data] : []))
        .find(job => fileOfJob(job) === fileId)
    },
  }
}

const jobSourceSchema = z.object({ source: z.object({ fileId: z.coerce.number() }) })

const fileOfJob = (job: Job): number | undefined => {
  const params = jobSourceSchema.safeParse(job.operationParams)
  return params.success ? params.data.source.fileId : undefined
}

const ignoreNotFound = (error: unknown): void => {
  if (!(error instanceof UserError && error.status === 404)) throw error
}

const ignoreAlreadyExists = (error: unknown): void => {
  if (!(error instanceof UserError && error.code.endsWith('lreadyExists'))) throw error
}

export type { Job, PreparedFile }
