import { UserError } from '../../lib/errors/errors.ts'
import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { snapshotNotFound } from '../../lib/storage/snapshots/snapshot-store.ts'
import { tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import type { TableLoad } from '../../lib/storage/tables/table-record.ts'
import { columnNames, type Snapshot } from '../../lib/table-engine/snapshot.ts'
import type { RunJobServices } from '../services.ts'
import { loadMetrics } from './import-outcome.ts'
import { type FirstContent, insertTable } from './insert-table.ts'
import { loadFile } from './load-file.ts'
import type { Outcome } from './outcome.ts'

/** Creates a table from a file, a kept snapshot, or another table. */
export const createTable = async (
  job: ProcessingJob,
  input: InputOf<'tableCreate'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const { table, resource } = await insertTable(job, input, services, () =>
    firstContent(job, input, services),
  )
  const { warnings } = table.lastLoad
  const results = warnings.length === 0 ? resource : { ...resource, warnings }
  return { results, metrics: loadMetrics(table.lastLoad) }
}

const firstContent = async (
  job: ProcessingJob,
  { bucketId, name, source }: InputOf<'tableCreate'>,
  services: RunJobServices,
): Promise<FirstContent> => {
  if (source.type === 'file') {
    const { fileId, dataUrl, csv, primaryKey } = source
    const tableId = `${bucketId}.${name}`
    const target = { tableId, internalId: job.id, current: undefined, primaryKey, incremental: false }
    return loadFile(job, { ...target, fileId, dataUrl, csv }, services)
  }
  if (source.type === 'snapshot') {
    const kept = await services.snapshots.get(source.snapshotId)
    if (!kept) throw snapshotNotFound(source.snapshotId)
    const { snapshot, table } = kept
    // Set before the table exists, so that whoever sees the table sees its metadata.
    const { metadata, nextId } = services
    await metadata.copy(metadataSubject.snapshot(kept), metadataSubject.table({ internalId: job.id }), nextId)
    return { snapshot, load: copyLoad(job.id, snapshot), definition: table.definition }
  }
  const copied = await services.tables.get(source.tableId)
  if (!copied) throw tableNotFound(source.tableId, services.projectId)
  if ((copied.lastChangeDate ?? copied.created) > source.at)
    throw new UserError(
      'storage.tables.timeTravelNotAvailable',
      `The table "${source.tableId}" has changed after ${source.at}, and what it was then is not kept. Use a snapshot.`,
    )
  return {
    snapshot: copied.snapshot,
    load: copyLoad(job.id, copied.snapshot),
    definition: copied.definition,
  }
}

/** A copy shares the files of the other table. They never change, so each table can change on its own. */
const copyLoad = (jobId: number, snapshot: Snapshot): TableLoad => ({
  jobId,
  importedColumns: columnNames(snapshot),
  importedRowsCount: snapshot.rowsCount,
  warnings: [],
  inBytes: 0,
  isCompressed: false,
  durationSeconds: 0,
})
