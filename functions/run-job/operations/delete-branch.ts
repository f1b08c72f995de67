import pMap from 'p-map'
import { deleteBucket } from '../../lib/storage/buckets/update-bucket.ts'
import { deleteFileObjects } from '../../lib/storage/files/file-store.ts'
import type { InputOf } from '../../lib/storage/jobs/job-record.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import type { RunJobServices } from '../services.ts'

const DELETES_AT_ONCE = 8

/**
 * Removes a branch, which makes it invisible, and then everything in it. What it shares with the default branch stays:
 * of its tables only the heads are removed, and the sweep deletes the objects that nothing else names.
 */
export const deleteBranch = async (
  { branchId, componentIds }: InputOf<'devBranchDelete'>,
  services: RunJobServices,
): Promise<void> => {
  await services.branches.delete(branchId)
  await deleteConfigurations(branchId, componentIds, services)
  await deleteTables(branchId, services)
  await deleteFiles(branchId, services)
  await deleteMarkedBuckets(branchId, services)
  await cancelMergeRequests(branchId, services)
  await services.metadata.clear(metadataSubject.branch(branchId))
}

const cancelMergeRequests = async (branchId: number, { mergeRequests }: RunJobServices): Promise<void> => {
  for (const { id, branchFromId } of await mergeRequests.list())
    if (branchFromId === branchId)
      await mergeRequests.update(id, request =>
        request.state === 'published' ? request : { ...request, state: 'canceled' },
      )
}

const deleteConfigurations = async (
  branchId: number,
  componentIds: string[],
  { configurations, usedComponents, metadata }: RunJobServices,
): Promise<void> => {
  const catalogue = componentIds.map(id => ({ id }))
  for (const { id: componentId } of await usedComponents.of(catalogue)) {
    const all = await configurations.list(branchId, componentId)
    await pMap(
      all,
      async configuration => {
        await metadata.clear(metadataSubject.configuration(configuration))
        await configurations.purge({ branchId, componentId, configId: configuration.id })
      },
      { concurrency: DELETES_AT_ONCE },
    )
  }
}

const deleteTables = async (
  branchId: number,
  { ownTables, clearBranch, metadata }: RunJobServices,
): Promise<void> => {
  const { buckets, tables } = ownTables(branchId)
  for (const bucket of await buckets.list()) {
    for (const internalId of await tables.internalIdsInBucket(bucket.id))
      await metadata.clear(metadataSubject.table({ internalId }))
    await metadata.clear(metadataSubject.bucket(bucket))
  }
  await clearBranch(branchId)
}

const deleteFiles = async (
  branchId: number,
  { inBranch, s3, filesBucket }: RunJobServices,
): Promise<void> => {
  const { files } = inBranch(branchId)
  for await (const file of files.list()) {
    await deleteFileObjects(s3, filesBucket, file)
    await files.delete(file)
  }
}

/** Clients without branches for tables keep them in the default branch, in buckets with this mark. */
const deleteMarkedBuckets = async (branchId: number, services: RunJobServices): Promise<void> => {
  for (const bucket of await services.buckets.list()) {
    const metadata = await services.metadata.list(metadataSubject.bucket(bucket))
    const isMarked = metadata.some(
      ({ provider, key, value }) =>
        provider === 'system' && key === 'KBC.createdBy.branch.id' && value === String(branchId),
    )
    if (isMarked) await deleteBucket(bucket.id, true, services)
  }
}
