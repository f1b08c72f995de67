import { UserError } from '../../lib/errors/errors.ts'
import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { inferredColumns } from '../../lib/storage/tables/table-definition.ts'
import { tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import type { TableRecord } from '../../lib/storage/tables/table-record.ts'
import { parseTableId } from '../../lib/wire/storage-ids.ts'
import type { RunJobServices } from '../job/services.ts'
import { contentOfFile, insertTable } from './create-table.ts'
import { type LoadedContent, loadFile } from './load-file.ts'
import { type ImportJob, loadTogether, timeOfLoad, warningsOfKey, withWarnings } from './load-together.ts'
import { importResults, loadMetrics, type Outcome, replaceHead } from './outcome.ts'

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
