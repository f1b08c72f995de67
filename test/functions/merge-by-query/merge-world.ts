import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { mergeByQuery } from '#functions/merge-by-query/merge-by-query.ts'
import { createQueries } from '#functions/merge-by-query/queries.ts'
import type { MergeServices } from '#functions/merge-by-query/services.ts'
import { createMergeNotes } from '#lib/distributed/merge-notes.ts'
import { createGlueCatalog } from '#lib/iceberg/glue/glue-catalog.ts'
import { createStorageStores } from '#lib/storage/storage-stores.ts'
import type { TableRecord } from '#lib/storage/tables/table-record.ts'
import { openDuckDbSession } from '#lib/table-engine/duckdb/duckdb-session.ts'
import { emptySnapshot, type TableFile, withColumns, withFiles } from '#lib/table-engine/files/snapshot.ts'
import { createTableEngine } from '#lib/table-engine/table-engine.ts'
import { startTestS3 } from '#support/embedded-s3.ts'
import { icebirdRows } from '#support/icebird-view.ts'
import { createMemoryItemTable } from '#support/memory-item-table.ts'
import {
  athenaWorkGroup,
  glueDatabase,
  type QueryServicesOptions,
  startQueryServices,
} from '#support/query-services.ts'
import { storeRows } from '#support/store-rows.ts'

const tablesBucket = 'tables-of-merges'
export const tableId = 'in.c-main.orders'
export type Row = Record<string, string>

type Around = (work: () => unknown) => unknown

/** The same object with something around each call of its methods. */
export const everyCall = <Target extends object>(target: Target, around: Around): Target =>
  new Proxy(target, {
    get: (object, name) => {
      const member: unknown = Reflect.get(object, name)
      return typeof member === 'function'
        ? (...given: unknown[]) => around(() => Reflect.apply(member, object, given))
        : member
    },
  })

/** The storage service's stores, S3, Glue and Athena, and one table `in.c-main.orders` with the key `id`. */
export const startMergeWorld = async (options: QueryServicesOptions = {}) => {
  const scratchDir = await mkdtemp(join(tmpdir(), 'merge-world-'))
  const s3 = await startTestS3()
  await s3.client.send(new CreateBucketCommand({ Bucket: tablesBucket }))
  const services = await startQueryServices({ s3: s3.client, ...options })
  const calls: { around: Around } = { around: work => work() }
  const catalog = everyCall(createGlueCatalog(services.glue, glueDatabase), work => calls.around(work))
  let clock = Date.now()
  const now = () => new Date(++clock)
  const stores = createStorageStores({
    items: createMemoryItemTable(),
    s3: s3.client,
    tablesBucket,
    catalog,
    now,
  })
  const engine = createTableEngine({
    s3: s3.client,
    tablesBucket,
    scratchDir,
    memoryLimitMiB: 256,
    threads: 1,
  })
  const measured: Parameters<MergeServices['measure']>[0][] = []
  const merging: MergeServices = {
    ...stores,
    catalog,
    queries: createQueries(services.athena, { workGroup: athenaWorkGroup, database: glueDatabase }),
    notes: createMergeNotes(s3.client, tablesBucket),
    tableEngine: async () => engine,
    queryTimeoutSeconds: 600,
    measure: figures => void measured.push(figures),
    now,
  }
  let jobs = 1_000

  const inSession = async <Result>(
    work: (session: Awaited<ReturnType<typeof openDuckDbSession>>) => Promise<Result>,
  ): Promise<Result> => {
    const session = await openDuckDbSession({ scratchDir, memoryLimitMiB: 256, threads: 1 })
    try {
      return await work(session)
    } finally {
      await session.close()
    }
  }

  const store = (
    key: string,
    rows: readonly Row[],
    fields: { id: number; name: string }[],
    place: { range?: number; loadedAt: Date },
  ): Promise<TableFile> =>
    inSession(session => storeRows({ session, s3: s3.client, tablesBucket }, { key, rows, fields, ...place }))

  const loadOf = (jobId: number, rows: number): TableRecord['lastLoad'] => ({
    jobId,
    importedColumns: [],
    importedRowsCount: rows,
    warnings: [],
    inBytes: 0,
    isCompressed: false,
    durationSeconds: 1,
  })

  return {
    ...merging,
    s3: s3.client,
    tablesBucket,
    stores,
    services,
    merging,
    measured,
    /** What is done around each call of Glue, also by the stores. */
    calls,
    /** Where the table's metadata and that of the pointer in Glue lie, and what the pointer's table is called. */
    async pointers(): Promise<{ head: string | undefined; glue: string | undefined }> {
      const table = await stores.tables.getHead(tableId)
      const found = table?.glueName === undefined ? undefined : await catalog.find(table.glueName)
      const head = table?.metadataKey
      return {
        head: head === undefined ? undefined : stores.tableContents.objects.locationOf(head),
        glue: found?.metadataLocation,
      }
    },
    /** Creates the table with rows in one file per list. */
    async createTable(columns: string[], files: Row[][]): Promise<void> {
      const snapshot = emptySnapshot(columns, ['id'])
      const loadedAt = new Date('2026-01-01T00:00:00.000Z')
      const stored: TableFile[] = []
      for (const [index, rows] of files.entries())
        stored.push(await store(`tables/7/1/part-${index}.parquet`, rows, snapshot.fields, { loadedAt }))
      const at = now().toISOString()
      await stores.tables.insert({
        internalId: 7,
        bucketId: 'in.c-main',
        name: 'orders',
        displayName: 'orders',
        created: at,
        lastImportDate: at,
        lastChangeDate: at,
        lastLoad: loadOf(1, 0),
        snapshot: withFiles(snapshot, stored),
        revision: 1,
      })
    },
    /** Stages ranges of rows as a load does. Resolves to the load's job. */
    async stage(
      ranges: Row[][],
      { incremental = true, columns = [] }: { incremental?: boolean; columns?: string[] } = {},
    ): Promise<number> {
      const table = await stores.tables.get(tableId)
      if (!table) throw new Error('There is no table')
      const jobId = ++jobs
      const loadedAt = now()
      const grown = withColumns(table.snapshot, columns)
      const files: TableFile[] = []
      for (const [range, rows] of ranges.entries())
        files.push(
          await store(`tables/staging/${jobId}/part-${range}.parquet`, rows, grown.fields, {
            range,
            loadedAt,
          }),
        )
      await merging.notes.writeStaged(
        { jobId, tableId, incremental, fields: grown.fields, files },
        {
          lastFieldId: grown.lastFieldId,
          lastLoad: loadOf(jobId, ranges.flat().length),
          loadedAt: loadedAt.toISOString(),
        },
      )
      return jobId
    },
    /** Runs the steps up to the end of the query. Resolves to its id. */
    async query(jobId: number): Promise<string> {
      const started = await mergeByQuery({ step: 'start', jobId }, merging)
      if (!('queryId' in started)) throw new Error('The merge was done before')
      await services.queries().settled()
      return started.queryId
    },
    /** All steps of a merge. */
    async merge(jobId: number): Promise<void> {
      const queryId = await this.query(jobId)
      await mergeByQuery({ step: 'check', jobId, queryId }, merging)
      await mergeByQuery({ step: 'adopt', jobId, queryId }, merging)
    },
    /** The table as an independent reader sees it, by `id`, with `_timestamp` as ISO 8601. */
    async rows(): Promise<Record<string, unknown>[]> {
      const table = await stores.tables.getHead(tableId)
      const { objects } = stores.tableContents
      const rows = await icebirdRows(objects.read, objects.locationOf(table?.metadataKey ?? ''))
      return rows
        .map(row => ({ ...row, _timestamp: new Date(String(row['_timestamp'])).toISOString() }))
        .sort((a, b) => (String(Reflect.get(a, 'id')) < String(Reflect.get(b, 'id')) ? -1 : 1))
    },
    /** The table as the engine reads it, by `id`. */
    async engineRows(): Promise<Row[]> {
      const table = await stores.tables.get(tableId)
      if (!table) return []
      const { columns, rows } = await engine.preview(table.snapshot, {
        limit: 1_000,
        orderBy: [{ column: 'id', order: 'ASC' }],
      })
      return rows.map(row => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? ''])))
    },
    async close(): Promise<void> {
      await services.close()
      await s3.close()
      await rm(scratchDir, { recursive: true, force: true })
    },
  }
}

export type MergeWorld = Awaited<ReturnType<typeof startMergeWorld>>
