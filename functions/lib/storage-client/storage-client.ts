import * as z from 'zod/mini'
import { UserError } from '../errors/errors.ts'
import { loadSettingsOf } from '../wire/load-settings.ts'
import { type ApiRequest, type Connection, request, requestWithAdvice } from './request.ts'
import type { Component, Configuration } from './seldom-read.ts'
import {
  jobSchema,
  type PreparedFile,
  preparedFileSchema,
  type ReadableFile,
  readableFileSchema,
  type Job as WireJob,
} from './wire.ts'

export interface CsvFormat {
  delimiter?: string | undefined
  enclosure?: string | undefined
  /** Names of the columns, in file order. When given, the file has no header. */
  columns?: string[] | undefined
  /** Default: text. */
  types?: 'text' | 'detect' | undefined
  /** Columns that stay text with `detect`, whatever their values look like. */
  textColumns?: string[] | undefined
  /** What becomes of columns of the table that the file lacks; see `CsvSource`. */
  missingColumns?: 'empty' | 'emptyByKey' | undefined
}

/** A job as the service shows it. */
export type Job = WireJob & {
  /** The service advises to ask again after so long: it waits behind others. */
  retryAfterSeconds?: number | undefined
}

interface TableImport extends CsvFormat {
  tableId: string
  dataFileId: number
  incremental: boolean
  /** The key that the table must have: see `checkKeyOfTable`. Default: any. */
  primaryKey?: readonly string[] | undefined
}

interface TableCreation extends CsvFormat {
  bucketId: string
  name: string
  dataFileId: number
  primaryKey: string[]
  /** Into a table that exists the file is loaded, where the service knows this: `IF_EXISTS_FEATURE`. */
  ifExists?: 'load' | undefined
  /** Of that load: 1 adds rows. */
  incremental?: 0 | 1 | undefined
}

/** Rows and columns of a table, as `export-async` takes them (docs/reference/storage-api.md#export). */
interface TableExport {
  tableId: string
  columns?: string[] | undefined
  /** Each slice is one gzip member. Default: no compression. */
  gzip?: boolean | undefined
  /** Seconds since 1970, a date, or a phrase such as `-2 days`. */
  changedSince?: string | number | undefined
  whereColumn?: string | undefined
  whereOperator?: string | undefined
  whereValues?: string[] | undefined
  whereFilters?: unknown[] | undefined
  limit?: number | undefined
}

interface ConfigurationRun {
  componentId: string
  configId: string
  overlap?: 'wait' | 'skip' | undefined
  trigger?: string | undefined
  /** Tokens beyond whose rights the run must not go. */
  tokenIds?: readonly string[] | undefined
}

/** Where a component's configuration, or one row of it, keeps its state. */
interface StatePlace {
  componentId: string
  configId: string
  rowId?: string | undefined
}

/** What a component says of its work, for the list of events. */
interface ComponentEvent {
  component: string
  configurationId?: string
  message: string
  type: 'info' | 'success' | 'warn' | 'error'
  params?: Record<string, unknown>
}

type NamedConnection = Connection & { runId?: string }

/** The storage service through its HTTP API. Ours and a hosted one differ by address and token only. `runId` is stored with all that is made. */
export const createStorageClient = (connection: NamedConnection) => ({
  ...dataOf(connection),
  ...workOf(connection),
})

const callsOf =
  (connection: NamedConnection) =>
  <Result>(apiRequest: ApiRequest, schema: z.core.$ZodType<Result>) =>
    request(connection, { ...apiRequest, runId: connection.runId }, schema)

const dataOf = (connection: NamedConnection) => {
  const call = callsOf(connection)
  const features = featuresOf(connection)
  const exists = (path: string) => isThere(call({ method: 'GET', path }, z.unknown()))

  return {
    /**
     * The key of a sliced file is the prefix of its slices (docs/reference/storage-api.md#sliced-files). Default: not
     * sliced.
     */
    prepareFile: (file: {
      name: string
      sizeBytes: number
      tags: string[]
      isSliced?: boolean
    }): Promise<PreparedFile> =>
      call(
        { method: 'POST', path: 'files/prepare', body: { ...file, federationToken: 1, isEncrypted: true } },
        preparedFileSchema,
      ),
    deleteFile: async (fileId: number) => {
      await call({ method: 'DELETE', path: `files/${fileId}` }, z.unknown()).catch(ignoreNotFound)
    },
    /** The file with credentials to read it. */
    file: (fileId: number): Promise<ReadableFile> =>
      call({ method: 'GET', path: `files/${fileId}?federationToken=1` }, readableFileSchema),
    hasBucket: (bucketId: string) => exists(`buckets/${encodeURIComponent(bucketId)}`),
    /** Creates `in|out.c-<name>`. Idempotent. */
    createBucket: async (bucketId: string) => {
      const [stage, name = ''] = bucketId.split('.')
      const body = { stage, name: name.replace(/^c-/, '') }
      await call({ method: 'POST', path: 'buckets', body }, z.unknown()).catch(ignoreAlreadyExists)
    },
    hasTable: (tableId: string) => exists(`tables/${encodeURIComponent(tableId)}`),
    table: async (tableId: string) => {
      const { tableSchema } = await seldomRead()
      return call({ method: 'GET', path: `tables/${encodeURIComponent(tableId)}` }, tableSchema)
    },
    /** How the files of a table load, by the words of landing metadata. None: the table, or what it says, is not there. */
    loadSettings: async (tableId: string) => {
      const path = `tables/${encodeURIComponent(tableId)}/metadata`
      const found = await call({ method: 'GET', path }, z.array(setting)).catch(ignoreNotFound)
      return loadSettingsOf(found ?? [])
    },
    /** Whether the service can do what the features of its index name. */
    knows: async (feature: string) => (await features()).includes(feature),
  }
}

const workOf = (connection: NamedConnection) => {
  const call = callsOf(connection)
  const callForJob = async (apiRequest: ApiRequest): Promise<Job> => {
    const named = { ...apiRequest, runId: connection.runId }
    const { result, retryAfterSeconds } = await requestWithAdvice(connection, named, jobSchema)
    return { ...result, retryAfterSeconds }
  }
  const askForJob = (path: string, body: object, idempotencyKey: string) =>
    callForJob({ method: 'POST', path, body, idempotencyKey })

  return {
    createTable: ({ bucketId, primaryKey, ...creation }: TableCreation, idempotencyKey: string) =>
      askForJob(
        `buckets/${encodeURIComponent(bucketId)}/tables-async`,
        { ...creation, ...keyField(primaryKey) },
        idempotencyKey,
      ),
    importTable: (
      { tableId, incremental, primaryKey = [], ...tableImport }: TableImport,
      idempotencyKey: string,
    ) =>
      askForJob(
        `tables/${encodeURIComponent(tableId)}/import-async`,
        { ...tableImport, ...keyField(primaryKey), incremental: incremental ? 1 : 0 },
        idempotencyKey,
      ),
    job: (jobId: number) => callForJob({ method: 'GET', path: `jobs/${jobId}` }),
    /** The newest job that reads this file, of all since it was prepared. For services that know no idempotency keys. */
    findJobOfFile: async (fileId: number): Promise<Job | undefined> =>
      (await import('./job-of-file.ts')).findJobOfFile(connection, fileId),
    exportTable: ({ tableId, ...body }: TableExport, idempotencyKey: string) =>
      askForJob(`tables/${encodeURIComponent(tableId)}/export-async`, body, idempotencyKey),
    /** Of our own service only: a job that runs a configuration. Error: `storage.runs.underWay` for one that does not wait for others. */
    runConfiguration: ({ componentId, configId, ...body }: ConfigurationRun, idempotencyKey: string) =>
      askForJob(`${pathOf({ componentId, configId })}/run`, body, idempotencyKey),
    component: async (componentId: string): Promise<Component> => {
      const { componentSchema } = await seldomRead()
      return call({ method: 'GET', path: `components/${encodeURIComponent(componentId)}` }, componentSchema)
    },
    configuration: async (componentId: string, configId: string): Promise<Configuration> => {
      const { configurationSchema } = await seldomRead()
      return call({ method: 'GET', path: pathOf({ componentId, configId }) }, configurationSchema)
    },
    /** All configurations of a component, in parts where the service has no room for all. */
    configurations: async function* (componentId: string): AsyncGenerator<Configuration> {
      const { configurationSchema } = await seldomRead()
      const path = `components/${encodeURIComponent(componentId)}/configs`
      for (let after = ''; ; ) {
        const asked = { method: 'GET', path: `${path}${after}`, runId: connection.runId } as const
        const { result, next } = await requestWithAdvice(connection, asked, z.array(configurationSchema))
        yield* result
        const last = result.at(-1)
        const following = last && `?sinceId=${encodeURIComponent(last.id)}`
        // A service that does not know `sinceId` gives the same part again.
        if (next === undefined || following === undefined || following === after) return
        after = following
      }
    },
    /** Creates no version. */
    saveState: async (place: StatePlace, state: Record<string, unknown>) => {
      await call({ method: 'PUT', path: `${pathOf(place)}/state`, body: { state } }, z.unknown())
    },
    postEvent: async (event: ComponentEvent, idempotencyKey: string) => {
      await call({ method: 'POST', path: 'events', body: event, idempotencyKey }, z.unknown())
    },
  }
}

export type StorageClient = ReturnType<typeof createStorageClient>

/** What the index names, asked for once. No branch has an index of its own. */
const featuresOf = (connection: Connection): (() => Promise<string[]>) => {
  const index = { method: 'GET', path: '?exclude=components' } as const
  const ask = async () => (await request({ ...connection, branchId: undefined }, index, featured)).features
  let asked: ReturnType<typeof ask> | undefined
  return () => (asked ??= ask())
}

const featured = z.object({ features: z.array(z.string()) })

/** As a comma list. A service that gets none keeps the key of the table. */
const keyField = (columns: readonly string[]) =>
  columns.length === 0 ? {} : { primaryKey: columns.join(',') }

const pathOf = ({ componentId, configId, rowId }: StatePlace): string => {
  const configuration = `components/${encodeURIComponent(componentId)}/configs/${encodeURIComponent(configId)}`
  return rowId === undefined ? configuration : `${configuration}/rows/${encodeURIComponent(rowId)}`
}

const seldomRead = () => import('./seldom-read.ts')

const setting = z.object({ key: z.string(), value: z.string(), provider: z.optional(z.string()) })

const isThere = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => true,
    (error: unknown) => {
      if (error instanceof UserError && error.status === 404) return false
      throw error
    },
  )

const ignoreNotFound = (error: unknown): void => {
  if (!(error instanceof UserError && error.status === 404)) throw error
}

const ignoreAlreadyExists = (error: unknown): void => {
  if (!(error instanceof UserError && error.code.endsWith('lreadyExists'))) throw error
}

export type { Component, Configuration, PreparedFile, ReadableFile }
