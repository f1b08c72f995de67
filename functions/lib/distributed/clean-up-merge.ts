import type { GlueCatalog } from './glue-catalog.ts'
import { mergeTableName, stagingTableName } from './glue-names.ts'
import type { MergeNotesStore } from './merge-notes.ts'

/**
 * Removes what a merge leaves in Glue, and its staging folder. May be repeated; what a crash leaves, the sweep removes.
 * The notes go last: without Glue's tables they start nothing.
 */
export const cleanUpMerge = async (
  jobId: number,
  { catalog, notes }: { catalog: Pick<GlueCatalog, 'drop'>; notes: Pick<MergeNotesStore, 'clear'> },
): Promise<void> => {
  await catalog.drop(mergeTableName(jobId))
  await catalog.drop(stagingTableName(jobId))
  await notes.clear(jobId)
}
