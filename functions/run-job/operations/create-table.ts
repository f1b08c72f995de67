import { cleanUpMerge } from '../../lib/distributed/clean-up-merge.ts'
import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { snapshotNotFound } from '../../lib/storage/snapshots/snapshot-store.ts'
import type { RunJobServices } from '../services.ts'
import { contentAtTime } from './content-at-time.ts'
import { copyLoad } from './copy-load.ts'
import { type FirstContent, insertTable } from './insert-table.ts'
import { loadFile } from './load-file.ts'
import { loadMetrics, type Outcome } from './outcome.ts'

/** Creates a table from a file, a kept snapshot, or another table. */
export const createTable = async (
  job: ProcessingJob,
  input: InputOf<'tableCreate'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const { table, resource, alsoEnded } = await insertTable(job, input, services, () =>
    firstContent(job, input, services),
  )
  const { catalog, stagedMerges } = services
  // Made by Athena, whose work nobody needs any more.
  if (table.glueName !== undefined && catalog && stagedMerges)
    await cleanUpMerge(job.id, { catalog, notes: stagedMerges })
  const { warnings, importedRowsCount, replacedRowsCount } = table.lastLoad
  const results = {
    ...resource,
    ...(warnings.length > 0 && { warnings }),
    ...(replacedRowsCount && { importedRowsCount, replacedRowsCount }),
  }
  return { results, metrics: loadMetrics(table.lastLoad), alsoEnded }
}

const firstContent = async (
  job: ProcessingJob,
  { bucketId, name, displayName, source }: InputOf<'tableCreate'>,
  services: RunJobServices,
): Promise<FirstContent> => {
  if (source.type === 'file') {
    const { fileId, dataUrl, csv, primaryKey } = source
    const target = {
      tableId: `${bucketId}.${name}`,
      newTable: { bucketId, name, displayName },
      internalId: job.id,
      current: undefined,
      primaryKey,
      incremental: false,
    }
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
  return contentAtTime(job, source, services)
}
