import { createOnce } from '../../lib/storage-store/create-once.ts'
import type { InputOf, ProcessingJob } from '../../lib/storage-store/job-record.ts'
import { metadataSubject } from '../../lib/storage-store/metadata-store.ts'
import type { SnapshotRecord } from '../../lib/storage-store/snapshot-store.ts'
import { tableNotFound } from '../../lib/storage-store/table-not-found.ts'
import { tableIdOf } from '../../lib/storage-store/table-store.ts'
import type { RunJobServices } from '../run-job.ts'

/** Keeps what the table is now, with its metadata. No rows are copied: the files of a table never change. */
export const snapshotTable = async (
  job: ProcessingJob,
  { tableId, description }: InputOf<'tableSnapshotCreate'>,
  services: RunJobServices,
): Promise<{ id: number }> => {
  const table = await services.tables.get(tableId)
  if (!table) throw tableNotFound(tableId, services.projectId)
  const { name, displayName, created, lastImportDate, lastChangeDate, definition, snapshot } = table
  const make = (id: number): SnapshotRecord => ({
    id,
    createdTime: job.startTime,
    description,
    creatorToken: job.creatorToken,
    table: {
      id: tableIdOf(table),
      name,
      displayName,
      created,
      lastImportDate,
      lastChangeDate,
      ...(definition && { definition }),
    },
    snapshot,
    requestKey: null,
  })
  const request = { scope: 'tableSnapshotCreate', key: String(job.id), request: {} }
  const { id } = await createOnce(request, { ...services, records: services.snapshots, make })
  const { metadata, nextId } = services
  await metadata.copy(metadataSubject.table(table), metadataSubject.snapshot({ id }), nextId)
  return { id }
}
