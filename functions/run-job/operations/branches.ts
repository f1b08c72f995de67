import pMap from 'p-map'
import {
  type BranchRecord,
  branchResource,
  refuseTakenName,
} from '../../lib/storage/branches/branch-store.ts'
import { markedBranch } from '../../lib/storage/branches/marked-bucket.ts'
import { branchConfiguration } from '../../lib/storage/configurations/branch-configuration.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { deleteFileObjects } from '../../lib/storage/files/file-store.ts'
import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { deleteBucketNow } from '../../lib/storage/update-bucket.ts'
import type { RunJobServices } from '../job/services.ts'
import type { Outcome } from './outcome.ts'

const COPIES_AT_ONCE = 8

/**
 * Creates a branch with a copy of every configuration of the default branch, of their metadata and of the branch's. It
 * has the id of the job, so that a repeated run creates the same one, and becomes visible when it is complete. Buckets
 * and tables are not copied: it sees those of the default branch until it writes them.
 */
export const createBranch = async (
  job: ProcessingJob,
  { name, description }: InputOf<'devBranchCreate'>,
  {
    branches,
    configurations,
    metadata,
    nextId,
  }: Pick<RunJobServices, 'branches' | 'configurations' | 'metadata' | 'nextId'>,
): Promise<Outcome> => {
  await refuseTakenName(branches, { name })

  for (const componentId of await configurations.componentsIn(defaultBranchId)) {
    const all = await configurations.list(defaultBranchId, componentId)
    const live = all.filter(({ current }) => !current.content.isDeleted)
    await pMap(
      live,
      async configuration => {
        const place = { branchId: job.id, componentId, configId: configuration.id }
        if (await configurations.get(place)) return // Of an earlier run.
        const internalId = `${job.id}-${nextId()}`
        const copy = branchConfiguration(configuration, {
          internalId,
          at: job.createdTime,
          token: job.creatorToken,
        })
        await metadata.copy(
          metadataSubject.configuration(configuration),
          metadataSubject.configuration(copy),
          nextId,
        )
        await configurations.insert(place, copy)
      },
      { concurrency: COPIES_AT_ONCE },
    )
  }
  await metadata.copy(metadataSubject.branch(defaultBranchId), metadataSubject.branch(job.id), nextId)
  const branch: BranchRecord = {
    id: job.id,
    name,
    description,
    created: job.createdTime,
    creatorToken: job.creatorToken,
    revision: 1,
  }
  return {
    results: branchResource(branch),
    decide: async () => {
      await refuseTakenName(branches, { name })
      return [branches.inserting(branch)]
    },
  }
}

const DELETES_AT_ONCE = 8

/**
 * Removes a branch, which makes it invisible, and then everything in it. What it shares with the default branch stays:
 * of its tables only the heads are removed, and the sweep deletes the objects that nothing else names.
 */
export const deleteBranch = async (
  { branchId }: InputOf<'devBranchDelete'>,
  services: RunJobServices,
): Promise<void> => {
  await services.branches.delete(branchId)
  await deleteConfigurations(branchId, services)
  await deleteTables(branchId, services)
  await deleteFiles(branchId, services)
  await deleteMarkedBuckets(branchId, { ...services, force: true, telling: () => [] })
  await services.metadata.clear(metadataSubject.branch(branchId))
}

const deleteConfigurations = async (branchId: number, { configurations }: RunJobServices): Promise<void> => {
  for (const componentId of await configurations.componentsIn(branchId)) {
    const all = await configurations.list(branchId, componentId)
    await pMap(
      all,
      async configuration => {
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

const deleteMarkedBuckets = async (
  branchId: number,
  services: RunJobServices & Parameters<typeof deleteBucketNow>[1],
): Promise<void> => {
  for (const bucket of await services.buckets.list())
    if ((await markedBranch(bucket, services)) === String(branchId))
      await deleteBucketNow(bucket.id, services)
}
