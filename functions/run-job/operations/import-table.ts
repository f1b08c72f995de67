import { TransientError } from '../../lib/errors/errors.ts'
import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import type { TableLoad, TableRecord } from '../../lib/storage/tables/table-record.ts'
import type { Snapshot } from '../../lib/table-engine/files/snapshot.ts'
import { checkKeyOfTable } from '../../lib/wire/primary-key.ts'
import type { RunJobServices } from '../job/services.ts'
import { loadFile } from './load-file.ts'
import { loadWithQueued } from './load-with-queued.ts'
import { importResults, loadMetrics, type Outcome } from './outcome.ts'
import type { ImportJob } from './queued-loads.ts'
import { endOthers, finishedLoad } from './shared-load.ts'

/**
 * Loads a file into a table: writes new files, then replaces the head on condition that it has not changed. A load that
 * adds rows takes the files along that wait behind it (see {@link loadWithQueued}), unless it is repeated.
 */
export const importTable = async (
  job: ProcessingJob,
  input: InputOf<'tableImport'>,
  services: RunJobServices,
  { isRepeated }: { isRepeated: boolean },
): Promise<Outcome> => {
  const table = await services.tables.get(input.tableId)
  if (!table) throw tableNotFound(input.tableId, services.projectId)
  const finished = await finishedLoad(job, table, services)
  const { loaded, alsoEnded = [] } = finished
    ? { loaded: finished }
    : await load({ ...job, input }, table, services, isRepeated)
  return { results: importResults(loaded), metrics: loadMetrics(loaded.lastLoad), alsoEnded }
}

const load = async (
  job: ImportJob<ProcessingJob>,
  table: TableRecord,
  services: RunJobServices,
  isRepeated: boolean,
): Promise<{ loaded: TableRecord; alsoEnded?: number[] }> => {
  const mayTakeOthers = !isRepeated && job.input.incremental
  const joint = mayTakeOthers ? await loadWithQueued(job, table, services) : undefined
  const { snapshot, lastLoad } = joint ?? (await loadAlone(job, table, services))
  const loaded = await moveHead(job, { ...table, snapshot, lastLoad }, services)
  if (!joint || loaded.lastLoad.together !== lastLoad.together) return { loaded }
  await endOthers(joint.shared, loaded, services)
  return { loaded, alsoEnded: joint.shared.others.map(({ jobId }) => jobId) }
}

const loadAlone = async (
  job: ImportJob<ProcessingJob>,
  { internalId, snapshot: current }: TableRecord,
  services: RunJobServices,
): Promise<{ snapshot: Snapshot; lastLoad: TableLoad }> => {
  const { tableId, fileId, dataUrl, csv, incremental, primaryKey = [] } = job.input
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
  return { snapshot, lastLoad: { ...load, warnings: [...warnings, ...load.warnings] } }
}

/** Replaces the head of the table. Resolves to the table as this job has loaded it, whichever run of the job was faster. */
const moveHead = async (
  job: ImportJob<ProcessingJob>,
  table: TableRecord,
  services: RunJobServices,
): Promise<TableRecord> => {
  const { tableId } = job.input
  const at = services.now().toISOString()
  const moved: TableRecord = { ...table, lastImportDate: at, lastChangeDate: at }
  if (await services.tables.replace(moved)) return moved

  const winner = await services.tables.get(tableId)
  // Deleted in the meantime. If it exists again, it is a new table that this file is not meant for.
  if (winner?.internalId !== table.internalId) throw tableNotFound(tableId, services.projectId)
  const finished = await finishedLoad(job, winner, services)
  if (finished) return finished
  throw new TransientError('storage.tables.moved', `The table "${tableId}" was changed while the job ran.`)
}
