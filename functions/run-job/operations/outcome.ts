import type { Decision } from '../../lib/items/item-table.ts'
import type { DecidedWork, JobMetrics, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { descriptionMetadatum, metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import type { TableHead, TableRecord } from '../../lib/storage/tables/table-record.ts'
import { tableResource } from '../../lib/storage/tables/table-resource.ts'
import { type StoredTable, tableIdOf } from '../../lib/storage/tables/table-store.ts'
import type { RenamedColumn } from '../../lib/table-engine/csv/map-columns.ts'
import type { LoadResult } from '../../lib/table-engine/files/load-request.ts'
import type { RunJobServices } from '../job/services.ts'

type Results = Record<string, unknown> | null

/** What a successful job stores. */
export interface Outcome {
  /** Of a function: as they are when it is decided. */
  results: Results | (() => Results)
  /** Default: none. */
  metrics?: JobMetrics
  /**
   * What makes its work visible, in the transaction that ends the job. Asked for again where that was refused; `undefined`: it would be
   * refused.
   */
  decide?: ((isAgain: boolean) => Promise<Decision>) | undefined
  /** What is left to do then, before its end is told. */
  rest?: DecidedWork['rest'] | undefined
}

/** The machine has to do these parts of an export side by side; then the job runs again. */
export interface InParts {
  parts: number[]
}

/** The table as the results of a job show it; `null` when its bucket is gone by now. */
export const tableResults = async (
  { baseUrl }: ProcessingJob,
  table: TableHead,
  services: RunJobServices,
): Promise<Record<string, unknown> | null> => {
  const bucket = await services.buckets.get(table.bucketId)
  if (!bucket) return null
  return tableResource(table, bucket, await services.totals.of(bucket.id), { ...services, baseUrl })
}

/** Error: 404 `storage.tables.notFound`. */
export const requireTable = async (
  tableId: string,
  { tables, projectId }: Pick<RunJobServices, 'tables' | 'projectId'>,
): Promise<StoredTable> => {
  const table = await tables.get(tableId)
  if (!table) throw tableNotFound(tableId, projectId)
  return table
}

/**
 * The head of a changed table, for the transaction that ends its job. Nobody else changes what the table holds meanwhile. Its name may
 * change, and its old snapshots may go: then the same change is built upon that.
 *
 * Error: 404 `storage.tables.notFound` when the table was deleted meanwhile. If it exists again, it is a new table, for which this is not meant.
 */
export const replaceHead =
  (
    table: TableRecord,
    { tables, projectId }: Pick<RunJobServices, 'tables' | 'projectId'>,
    changes: { isRenamed?: boolean; forgotten?: Date | undefined; before: StoredTable },
  ) =>
  async (isAgain: boolean): Promise<Decision> =>
    isAgain
      ? tables.replacing(await onCurrent(table, { tables, projectId }, changes), {
          forgotten: changes.forgotten,
        })
      : tables.replacing(table, changes)

const onCurrent = async (
  table: TableRecord,
  { tables, projectId }: Pick<RunJobServices, 'tables' | 'projectId'>,
  { isRenamed = false }: { isRenamed?: boolean },
): Promise<TableRecord> => {
  const tableId = tableIdOf(table)
  const head = await tables.getHead(tableId)
  if (!head || head.alias || head.internalId !== table.internalId) throw tableNotFound(tableId, projectId)
  const { revision, metadataKey, displayName } = head
  return {
    ...table,
    revision,
    ...(metadataKey !== undefined && { metadataKey }),
    ...(!isRenamed && { displayName }),
  }
}

/**
 * Keeps the headings of new columns that have other names, as their descriptions. Before the table changes, so that whoever sees a column
 * sees it; a load that is repeated sets the same.
 */
export const keepHeadings = async (
  table: { internalId: number },
  renamed: readonly RenamedColumn[],
  { metadata, nextId }: Pick<RunJobServices, 'metadata' | 'nextId'>,
): Promise<void> => {
  for (const { column, heading } of renamed)
    await metadata.set(
      metadataSubject.table(table),
      { ...descriptionMetadatum, column, value: heading },
      nextId(),
    )
}

/** What a job says of a load. */
export interface JobLoad
  extends Pick<
    LoadResult,
    'importedColumns' | 'importedRowsCount' | 'replacedRowsCount' | 'warnings' | 'inBytes' | 'isCompressed'
  > {
  durationSeconds: number
}

/** `results` of a finished import (docs/reference/storage-api.md#import). */
export const importResults = (
  snapshot: Pick<LoadResult['snapshot'], 'rowsCount' | 'dataSizeBytes'>,
  load: JobLoad,
) => ({
  warnings: load.warnings,
  importedColumns: load.importedColumns,
  totalRowsCount: snapshot.rowsCount,
  totalDataSizeBytes: snapshot.dataSizeBytes,
  importedRowsCount: load.importedRowsCount,
  replacedRowsCount: load.replacedRowsCount,
  transaction: null,
  timers: [{ name: 'load', durationSeconds: load.durationSeconds }],
})

/** Only the compressed size of a compressed file is known (docs/reference/storage-api.md#jobs). */
export const loadMetrics = ({ inBytes, isCompressed }: JobLoad): JobMetrics => ({
  inCompressed: isCompressed,
  inBytes,
  inBytesUncompressed: isCompressed ? 0 : inBytes,
  outCompressed: false,
  outBytes: 0,
  outBytesUncompressed: 0,
})
