import { UserError } from '../../lib/errors/errors.ts'
import { IcebergRefusal } from '../../lib/iceberg/refusal.ts'
import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import type { ContentThen } from '../../lib/storage/tables/content/table-contents.ts'
import { definitionFor } from '../../lib/storage/tables/table-definition.ts'
import { beforeTable, tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import type { TableRecord } from '../../lib/storage/tables/table-record.ts'
import type { RunJobServices } from '../services.ts'
import { copyLoad } from './copy-load.ts'
import type { FirstContent } from './insert-table.ts'

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
export const contentAtTime = async (
  job: ProcessingJob,
  { tableId, at }: TableSource,
  services: RunJobServices,
): Promise<FirstContent> => {
  const table = await services.tables.get(tableId)
  if (!table) throw tableNotFound(tableId, services.projectId)
  const { snapshot, isWhole } = await contentThen(table, { tableId, at }, services)
  // Set before the table exists, so that whoever sees the table sees its metadata.
  const { metadata, nextId } = services
  await metadata.copy(metadataSubject.table(table), metadataSubject.table({ internalId: job.id }), nextId)
  return {
    snapshot,
    load: copyLoad(job.id, snapshot, isWhole ? [] : [SETTINGS_UNKNOWN]),
    definition: table.definition && definitionFor(table.definition, snapshot),
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
