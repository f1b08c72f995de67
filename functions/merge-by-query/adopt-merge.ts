import { checkCommit } from '../lib/distributed/check-commit.ts'
import { withFiles } from '../lib/table-engine/snapshot.ts'
import { type Adoption, adoptInto, commitOf } from './adoption.ts'
import type { MergeServices } from './services.ts'

/**
 * Makes what the query committed the table's content: checks it, joins deletes that are spread over files, and moves the
 * head on condition that it has not moved. A repeated step finds the load in the head.
 *
 * A table that the load creates is made by the job itself, from the commit that this step has noted as checked.
 *
 * Error: 400 `storage.tables.distributed.commitRefused`, with an event that says where the commit lies. The old head stays.
 */
export const adoptMerge = async (
  { jobId, queryId }: { jobId: number; queryId: string },
  services: MergeServices,
): Promise<{ status: 'done' }> => {
  const { notes, now } = services
  const merge = await notes.readStaged(jobId)
  const decided = await notes.readNotes(jobId)
  // Only a merge that has ended has no notes: the job's next run finds what became of it.
  if (!merge || !decided) return { status: 'done' }
  const { tableId, branchId, lastLoad, staged } = merge
  const loadedAt = new Date(merge.loadedAt)
  const check: Adoption['check'] = commit => checkCommit({ ...commit, loadedAt })
  const adoption = { jobId, queryId, tableId, branchId, decided, check }
  if (merge.newTable) await noteAdopted(adoption, services)
  else
    await adoptInto(adoption, services, {
      isDone: table => table.lastLoad.jobId === jobId,
      change: ({ snapshot }, files) => {
        const { fields, lastFieldId } = staged
        const at = now().toISOString()
        return {
          snapshot: withFiles({ ...snapshot, fields, lastFieldId }, files),
          lastLoad,
          lastImportDate: at,
          lastChangeDate: at,
        }
      },
    })
  return { status: 'done' }
}

/** The objects stay until the job has made its table of them, or has ended without. */
const noteAdopted = async (adoption: Adoption, services: MergeServices): Promise<void> => {
  const { tableContents, notes } = services
  if (await notes.readAdopted(adoption.jobId)) return
  const { committed } = await commitOf(adoption, services)
  const metadataKey = tableContents.objects.keyOf(committed.location)
  await notes.writeAdopted(adoption.jobId, { metadataKey })
}
