import { checkPacked } from '../lib/distributed/check-packed.ts'
import type { PackedTable } from '../lib/distributed/merge-notes.ts'
import { withFiles } from '../lib/table-engine/snapshot.ts'
import { adoptInto } from './adoption.ts'
import type { MergeServices } from './services.ts'

/**
 * Makes the packed files those of the table, when they hold the same rows. Its dates stay: nothing in it has changed. A
 * repeated step finds the job in the head.
 *
 * Error: 400 `storage.tables.distributed.commitRefused`, with an event that says where the commit lies. The old head stays.
 */
export const adoptPacking = async (
  { jobId, tableId, branchId, files: packedFiles, bytes: packedBytes }: PackedTable,
  { queryId }: { queryId: string },
  services: MergeServices,
): Promise<{ status: 'done' }> => {
  const decided = await services.notes.readNotes(jobId)
  if (!decided) return { status: 'done' }
  await adoptInto({ jobId, queryId, tableId, branchId, decided, check: checkPacked }, services, {
    isDone: table => table.lastJob?.id === jobId,
    change: ({ snapshot }, files) => {
      const message = `Athena packed ${packedFiles} files of the table. It has ${files.length} files now.`
      const results = { message, packedFiles, packedBytes, filesCount: files.length }
      return { snapshot: withFiles(snapshot, files), lastJob: { id: jobId, results } }
    },
  })
  return { status: 'done' }
}
