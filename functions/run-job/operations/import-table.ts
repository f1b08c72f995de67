import { TransientError } from '../../lib/errors/errors.ts'
import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { checkKeyOfTable } from '../../lib/storage/tables/primary-key.ts'
import { tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import type { TableRecord } from '../../lib/storage/tables/table-record.ts'
import type { RunJobServices } from '../services.ts'
import { importResults, loadMetrics } from './import-outcome.ts'
import { loadFile } from './load-file.ts'
import type { Outcome } from './outcome.ts'

/** Loads a file into a table: writes new files, then replaces the head on condition that it has not changed. */
export const importTable = async (
  job: ProcessingJob,
  input: InputOf<'tableImport'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const table = await services.tables.get(input.tableId)
  if (!table) throw tableNotFound(input.tableId, services.projectId)
  const loaded = table.lastLoad.jobId === job.id ? table : await load(job, input, table, services)
  return { results: importResults(loaded), metrics: loadMetrics(loaded.lastLoad) }
}

const load = async (
  job: ProcessingJob,
  { tableId, fileId, dataUrl, csv, incremental, primaryKey = [] }: InputOf<'tableImport'>,
  table: TableRecord,
  services: RunJobServices,
): Promise<TableRecord> => {
  const { internalId, snapshot: current } = table
  const tableKey = current.primaryKey
  const warnings = checkKeyOfTable({ tableId, tableKey, primaryKey, incremental })
  const { snapshot, load } = await loadFile(
    job,
    {
      tableId,
      internalId,
      current,
      primaryKey: tableKey,
      incremental,
      fileId,
      dataUrl,
      csv,
      tableWarnings: warnings,
    },
    services,
  )
  const at = services.now().toISOString()
  const lastLoad = { ...load, warnings: [...warnings, ...load.warnings] }
  const moved: TableRecord = { ...table, snapshot, lastLoad, lastImportDate: at, lastChangeDate: at }
  if (await services.tables.replace(moved)) return moved

  const winner = await services.tables.get(tableId)
  // Deleted in the meantime. If it exists again, it is a new table that this file is not meant for.
  if (winner?.internalId !== internalId) throw tableNotFound(tableId, services.projectId)
  if (winner.lastLoad.jobId === job.id) return winner
  throw new TransientError('storage.tables.moved', `The table "${tableId}" was changed while the job ran.`)
}
