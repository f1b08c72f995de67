import { UserError } from '../../lib/errors/errors.ts'
import { IcebergRefusal } from '../../lib/iceberg/refusal.ts'
import { together } from '../../lib/items/item-table.ts'
import { type BucketRecord, requireBucket } from '../../lib/storage/buckets/bucket-store.ts'
import { ofBranch } from '../../lib/storage/db/branch-id.ts'
import { branchOf, type InputOf, type ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { snapshotNotFound } from '../../lib/storage/snapshots/snapshot-store.ts'
import type { ContentThen } from '../../lib/storage/tables/content/content-then.ts'
import { columnField, declaredOf, type TableDefinition } from '../../lib/storage/tables/table-definition.ts'
import { beforeTable, tableAlreadyExists } from '../../lib/storage/tables/table-errors.ts'
import type { TableHead, TableRecord } from '../../lib/storage/tables/table-record.ts'
import { tableResource } from '../../lib/storage/tables/table-resource.ts'
import { refuseTakenName } from '../../lib/storage/tables/update-table.ts'
import { shareOf, sumOf } from '../../lib/storage/totals/totals.ts'
import { COUNT_OF_TABLE } from '../../lib/table-engine/csv/csv-error.ts'
import {
  emptySnapshot,
  isTypedTable,
  type Snapshot,
  withFields,
} from '../../lib/table-engine/files/snapshot.ts'
import type { RunJobServices } from '../job/services.ts'
import { loadFile } from './load-file.ts'
import { type JobLoad, loadMetrics, type Outcome, requireTable } from './outcome.ts'

/** Creates a table from a file, a kept snapshot, or another table. */
export const createTable = async (
  job: ProcessingJob,
  input: InputOf<'tableCreate'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const { load, resource, inserted } = await insertTable(job, input, services, () =>
    firstContent(job, input, services),
  )
  const { warnings, importedRowsCount, replacedRowsCount } = load
  const results = {
    ...resource,
    ...(warnings.length > 0 && { warnings }),
    ...(replacedRowsCount && { importedRowsCount, replacedRowsCount }),
  }
  return { results, metrics: loadMetrics(load), ...inserted }
}

const firstContent = async (
  job: ProcessingJob,
  { bucketId, name, source }: InputOf<'tableCreate'>,
  services: RunJobServices,
): Promise<FirstContent> => {
  if (source.type === 'file')
    return contentOfFile(job, { tableId: `${bucketId}.${name}`, ...source }, services)
  if (source.type === 'snapshot') {
    const kept = await services.snapshots.get(source.snapshotId)
    if (!kept) throw snapshotNotFound(source.snapshotId)
    const { table, metadataKey } = kept
    const snapshot = { ...kept.snapshot, files: await services.tables.filesOf(metadataKey) }
    // Set before the table exists, so that whoever sees the table sees its metadata.
    const { metadata, nextId } = services
    await metadata.copy(metadataSubject.snapshot(kept), metadataSubject.table({ internalId: job.id }), nextId)
    return { snapshot, load: noLoad(), definition: table.definition }
  }
  return contentAtTime(job, source, services)
}

/** What a new table begins with that is made of a file. */
export const contentOfFile = async (
  job: ProcessingJob,
  {
    tableId,
    fileId,
    csv,
    primaryKey = [],
  }: Pick<InputOf<'tableImport'>, 'tableId' | 'fileId' | 'csv' | 'primaryKey'>,
  services: RunJobServices,
): Promise<FirstContent> => {
  const loadedAt = new Date(job.startTime)
  const target = { tableId, internalId: job.id, current: undefined, primaryKey, incremental: false, loadedAt }
  const content = await loadFile(job, { ...target, fileId, csv }, services).catch((error: unknown) => {
    throw error instanceof UserError && error.code === 'invalidCsv' ? ofNoTable(error, csv.columns) : error
  })
  // Typed by its file, none of whose columns is declared.
  const definition = isTypedTable(content.snapshot) && { primaryKeysNames: primaryKey, columns: [] }
  return { ...content, ...(definition && { definition }) }
}

/** The same for a table that is not there yet: a line is held against the names that the file or the request gives. */
const ofNoTable = (cause: UserError, columns: readonly string[] = []): UserError => {
  const named = columns.length > 0 ? 'that of "columns"' : 'that of the header'
  const message = cause.message.replace(COUNT_OF_TABLE, named)
  return new UserError('invalidCsv', message, { cause, params: cause.params })
}

type TableSource = Extract<InputOf<'tableCreate'>['source'], { type: 'table' }>

const SETTINGS_UNKNOWN =
  'The table has changed many times since. Its rows are those of then; its columns are those of the load before, and its ' +
  'primary key is not known any more.'

/**
 * What a new table begins with that is another one as it was at a time: rows, columns and key of then, metadata and
 * declared types of now. The files stay as long as one of the tables names them.
 *
 * Errors: `storage.timetravel.invalid`, `storage.validation.timeTravelNotSupported`, `storage.tables.notFound`.
 */
const contentAtTime = async (
  job: ProcessingJob,
  { tableId, at }: TableSource,
  services: RunJobServices,
): Promise<FirstContent> => {
  const table = await requireTable(tableId, services)
  const { snapshot, isWhole } = await contentThen(table, { tableId, at }, services)
  // Set before the table exists, so that whoever sees the table sees its metadata.
  const { metadata, nextId } = services
  await metadata.copy(metadataSubject.table(table), metadataSubject.table({ internalId: job.id }), nextId)
  return {
    snapshot,
    load: noLoad(isWhole ? [] : [SETTINGS_UNKNOWN]),
    definition: table.definition && declaredOf(table.definition, snapshot),
  }
}

const contentThen = async (
  table: TableRecord,
  { tableId, at }: Pick<TableSource, 'tableId' | 'at'>,
  { tables }: RunJobServices,
): Promise<ContentThen> => {
  if ((table.lastChangeDate ?? table.created) <= at) return { snapshot: table.snapshot, isWhole: true }
  // A new table may have got the name since the request.
  if (table.created > at) throw beforeTable(tableId, table, at)
  const then = await tables.contentAt(table, new Date(at)).catch((cause: unknown) => {
    if (!(cause instanceof IcebergRefusal)) throw cause
    throw notSupported(`What the table "${tableId}" was at ${at} cannot be read. ${cause.message}`, { cause })
  })
  if (then) return then
  throw new UserError(
    'storage.timetravel.invalid',
    `What the table "${tableId}" was at ${at} is not kept any more. Ask for a later time, or use a snapshot.`,
  )
}

const notSupported = (message: string, options?: ErrorOptions): UserError =>
  new UserError('storage.validation.timeTravelNotSupported', message, options)

/** Creates an empty table with the columns of a definition, typed unless none of them has a type. */
export const createDefinedTable = async (
  job: ProcessingJob,
  { definition, isTyped = true, ...newTable }: InputOf<'tableDefinitionCreate'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const columns = definition.columns.map(({ name }) => name)
  const key = definition.primaryKeysNames
  const { resource, inserted } = await insertTable(job, newTable, services, async () => ({
    snapshot: isTyped
      ? withFields(emptySnapshot([], key), definition.columns.map(columnField))
      : emptySnapshot(columns, key),
    load: noLoad(),
    ...(isTyped && { definition }),
    isEmpty: true,
  }))
  return { results: resource, ...inserted }
}

/** Of a table that is empty, or a copy: that shares the files of the other one. They never change, so each table can change on its own. */
const noLoad = (warnings: string[] = []): JobLoad => ({
  importedColumns: [],
  importedRowsCount: 0,
  replacedRowsCount: 0,
  warnings,
  inBytes: 0,
  isCompressed: false,
  durationSeconds: 0,
})

/** What a table that is created is called. */
interface NewTable {
  bucketId: string
  name: string
  displayName: string
}

/** The initial content of a new table. */
interface FirstContent {
  snapshot: Snapshot
  load: JobLoad
  definition?: TableDefinition | undefined
  /** Nothing was loaded: the table shows no import. */
  isEmpty?: boolean
}

interface Inserted {
  table: TableHead
  load: JobLoad
  resource: Record<string, unknown>
  inserted: Omit<Outcome, 'results'>
}

/**
 * Creates a table with its first snapshot by one write, in the transaction that ends the job, so that a failed create leaves no table.
 * Resolves to the table, also as the job shows it, to what the job says of its load, and to the rest of the outcome.
 */
export const insertTable = async (
  job: ProcessingJob,
  newTable: NewTable,
  services: RunJobServices,
  makeContent: () => Promise<FirstContent>,
): Promise<Inserted> => {
  const { tables, buckets } = services
  const { bucketId, name, displayName } = newTable
  const refuseExisting = async (): Promise<BucketRecord> => {
    const bucket = await requireBucket(bucketId, services)
    if (await tables.getHead(`${bucketId}.${name}`)) throw tableAlreadyExists(name, displayName)
    await refuseTakenName(newTable, tables)
    return bucket
  }
  const bucket = await refuseExisting()
  const content = await makeContent()
  const table = tableOf(job, newTable, content)
  const totals = sumOf([await services.totals.of(bucketId), shareOf(table)])
  return {
    table,
    load: content.load,
    resource: tableResource(table, bucket, totals, { ...services, baseUrl: job.baseUrl }),
    inserted: {
      decide: async () => {
        await refuseExisting()
        return together(tables.inserting(table), [await buckets.touching(bucketId)])
      },
    },
  }
}

/** Its internal id is the job's. */
const tableOf = (
  job: ProcessingJob,
  { bucketId, name, displayName }: NewTable,
  { snapshot, definition, isEmpty = false }: FirstContent,
): TableRecord => {
  const at = job.startTime
  return {
    internalId: job.id,
    bucketId,
    name,
    ...ofBranch(branchOf(job)),
    displayName,
    created: at,
    lastImportDate: isEmpty ? null : at,
    lastChangeDate: at,
    lastJobId: job.id,
    ...(definition && { definition }),
    snapshot,
    revision: 1,
  }
}
