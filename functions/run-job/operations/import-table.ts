import { UserError } from '../../lib/errors/errors.ts'
import { together } from '../../lib/items/item-table.ts'
import { type BucketRecord, requireBucket } from '../../lib/storage/buckets/bucket-store.ts'
import { ofBranch } from '../../lib/storage/db/branch-id.ts'
import { branchOf, type InputOf, type ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { inferredColumns, type TableDefinition } from '../../lib/storage/tables/table-definition.ts'
import { tableAlreadyExists, tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import type { TableHead, TableRecord } from '../../lib/storage/tables/table-record.ts'
import { tableResource } from '../../lib/storage/tables/table-resource.ts'
import { refuseTakenName } from '../../lib/storage/tables/update-table.ts'
import { shareOf, sumOf } from '../../lib/storage/totals/totals.ts'
import { COUNT_OF_TABLE } from '../../lib/table-engine/csv/csv-error.ts'
import { isTypedTable, type Snapshot } from '../../lib/table-engine/files/snapshot.ts'
import { parseTableId } from '../../lib/wire/storage-ids.ts'
import type { RunJobServices } from '../job/services.ts'
import { type LoadedContent, loadFile } from './load-file.ts'
import { type ImportJob, loadTogether, timeOfLoad, warningsOfKey, withWarnings } from './load-together.ts'
import { importResults, type JobLoad, loadMetrics, type Outcome, replaceHead } from './outcome.ts'

/**
 * Loads a file into a table: writes new files, then replaces the head on condition that it has not changed. A load that
 * adds rows takes the files along that wait behind it (see {@link loadTogether}).
 */
export const importTable = async (
  job: ProcessingJob,
  input: InputOf<'tableImport'>,
  services: RunJobServices,
  behind: readonly number[],
): Promise<Outcome> => {
  // Together they are one read, and the file is known to whoever asks for it later.
  const [table] = await Promise.all([
    services.tables.get(input.tableId),
    services.files.getReadable(input.fileId),
  ])
  const place = parseTableId(input.tableId)
  if (!table && place && input.creates) {
    const created = { ...place, ...input.creates }
    const {
      table: head,
      load,
      inserted,
    } = await insertTable(job, created, services, () => contentOfFile(job, input, services))
    return { results: importResults(head.snapshot, load), metrics: loadMetrics(load), ...inserted }
  }
  if (!table) throw tableNotFound(input.tableId, services.projectId)
  const joint = await loadTogether({ ...job, input }, behind, { table, services })
  const { snapshot, load } = joint ?? (await loadAlone({ ...job, input }, table, services))
  const at = timeOfLoad(job, table).toISOString()
  const loaded = { ...table, snapshot, lastJobId: job.id, lastImportDate: at, lastChangeDate: at }
  return {
    results: importResults(snapshot, load),
    metrics: loadMetrics(load),
    decide: replaceHead(loaded, services, { before: table }),
    ...(joint && { rest: { internalId: table.internalId, together: joint.together } }),
  }
}

const loadAlone = async (
  job: ImportJob<ProcessingJob>,
  table: TableRecord,
  services: RunJobServices,
): Promise<LoadedContent> => {
  const { internalId, snapshot: current, definition } = table
  const { tableId, fileId, csv, incremental } = job.input
  const warnings = warningsOfKey(job, table)
  const inferred = inferredColumns(definition, current)
  const { snapshot, load } = await loadFile(
    job,
    {
      tableId,
      internalId,
      current,
      primaryKey: current.primaryKey,
      incremental,
      inferredColumns: inferred,
      fileId,
      csv,
      loadedAt: timeOfLoad(job, table),
    },
    services,
  ).catch((error: unknown) => {
    throw adviseOnInferred(error, inferred)
  })
  return { snapshot, load: withWarnings(load, warnings) }
}

/** A value that does not fit a type which nobody declared: what to do about it. */
const adviseOnInferred = (error: unknown, inferred: string[]): unknown => {
  if (!(error instanceof UserError) || !inferred.includes(String(error.params?.['column']))) return error
  const advice =
    'The type came with an earlier load: mend the value, or replace all rows by a file of Parquet or with types=detect, which brings new types.'
  return new UserError(error.code, `${error.message} ${advice}`, { cause: error, params: error.params })
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

/** What a table that is created is called. */
interface NewTable {
  bucketId: string
  name: string
  displayName: string
}

/** The initial content of a new table. */
export interface FirstContent {
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
