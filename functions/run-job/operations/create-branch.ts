import pMap from 'p-map'
import { branchResource } from '../../lib/storage/branches/branch-resource.ts'
import { type BranchRecord, defaultBranchId } from '../../lib/storage/branches/branch-store.ts'
import { refuseTakenName } from '../../lib/storage/branches/refuse-taken-name.ts'
import { branchConfiguration } from '../../lib/storage/configurations/branch-configuration.ts'
import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import type { RunJobServices } from '../services.ts'
import type { Outcome } from './outcome.ts'

const COPIES_AT_ONCE = 8

/**
 * Creates a branch with a copy of every configuration of the default branch, of their metadata and of the branch's. It
 * has the id of the job, so that a repeated run creates the same one, and becomes visible when it is complete. Buckets
 * and tables are not copied: it sees those of the default branch until it writes them.
 */
export const createBranch = async (
  job: ProcessingJob,
  { name, description, componentIds }: InputOf<'devBranchCreate'>,
  {
    branches,
    configurations,
    usedComponents,
    metadata,
    nextId,
  }: Pick<RunJobServices, 'branches' | 'configurations' | 'usedComponents' | 'metadata' | 'nextId'>,
): Promise<Outcome> => {
  const existing = await branches.get(job.id)
  if (existing) return { results: branchResource(existing) }
  await refuseTakenName(branches, { name })

  const catalogue = componentIds.map(id => ({ id }))
  for (const { id: componentId } of await usedComponents.of(catalogue)) {
    const all = await configurations.list(defaultBranchId, componentId)
    const live = all.filter(({ current }) => !current.content.isDeleted)
    await pMap(
      live,
      async configuration => {
        const place = { branchId: job.id, componentId, configId: configuration.id }
        const internalId = `${job.id}-${configuration.internalId}`
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
  await branches.insert(branch)
  return { results: branchResource(branch) }
}
