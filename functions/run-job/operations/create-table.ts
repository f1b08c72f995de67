import { UserError } from '../../lib/errors/errors.ts'
import { IcebergRefusal } from '../../lib/iceberg/refusal.ts'
import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { snapshotNotFound } from '../../lib/storage/snapshots/snapshot-store.ts'
import type { ContentThen } from '../../lib/storage/tables/content/content-then.ts'
import { columnField, declaredOf } from '../../lib/storage/tables/table-definition.ts'
import { beforeTable } from '../../lib/storage/tables/table-errors.ts'
import type { TableRecord } from '../../lib/storage/tables/table-record.ts'
import { emptySnapshot, withFields } from '../../lib/table-engine/files/snapshot.ts'
import type { RunJobServices } from '../job/services.ts'
import { contentOfFile, type FirstContent, insertTable } from './import-table.ts'
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
