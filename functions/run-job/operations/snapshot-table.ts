import { ofBranch } from '../../lib/storage/branches/branch-store.ts'
import { createOnce } from '../../lib/storage/db/create-once.ts'
import { branchOf, type InputOf, type ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import type { SnapshotRecord } from '../../lib/storage/snapshots/snapshot-store.ts'
import { tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import { tableIdOf } from '../../lib/storage/tables/table-store.ts'
import type { RunJobServices } from '../services.ts'
import type { Outcome } from './outcome.ts'

/** Keeps the current table with its metadata. No rows are copied: the files of a table never change. */
export const snapshotTable = async (
  job: ProcessingJob,
  { tableId, description }: InputOf<'tableSnapshotCreate'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const table = await services.tables.get(tableId)
  if (!table) throw tableNotFound(tableId, services.projectId)
  const { name, displayName, created, lastImportDate, lastChangeDate, definition, snapshot } = table
  const make = (id: number): SnapshotRecord => ({
    id,
    createdTime: job.startTime,
    description,
    creatorToken: job.creatorToken,
    ...ofBranch(branchOf(job)),
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
  return { results: { id } }
}
