import pMap from 'p-map'
import type { InputOf } from '../../lib/storage/jobs/job-record.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import type { RunJobServices } from '../services.ts'

const DELETES_AT_ONCE = 8

/** Removes a branch, which makes it invisible, and then everything in it. */
export const deleteBranch = async (
  { branchId, componentIds }: InputOf<'devBranchDelete'>,
  {
    branches,
    configurations,
    usedComponents,
    metadata,
  }: Pick<RunJobServices, 'branches' | 'configurations' | 'usedComponents' | 'metadata'>,
): Promise<void> => {
  await branches.delete(branchId)
  const catalogue = componentIds.map(id => ({ id }))
  for (const { id: componentId } of await usedComponents.of(catalogue)) {
    const all = await configurations.list(branchId, componentId)
    await pMap(all, ({ id }) => configurations.purge({ branchId, componentId, configId: id }), {
      concurrency: DELETES_AT_ONCE,
    })
  }
  await metadata.clear(metadataSubject.branch(branchId))
}
