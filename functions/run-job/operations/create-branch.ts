import pMap from 'p-map'
import { UserError } from '../../lib/errors/errors.ts'
import { branchResource } from '../../lib/storage/branches/branch-resource.ts'
import { type BranchRecord, defaultBranchId } from '../../lib/storage/branches/branch-store.ts'
import type { Configuration } from '../../lib/storage/configurations/configuration.ts'
import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import type { RunJobServices } from '../services.ts'

const COPIES_AT_ONCE = 8

/**
 * Creates a branch with a copy of every configuration of the default branch. The branch has the id of the job, so that
 * a repeated run creates the same one. It becomes visible when it is complete. Tables and files are shared with the
 * default branch.
 */
export const createBranch = async (
  job: ProcessingJob,
  { name, description, componentIds }: InputOf<'devBranchCreate'>,
  {
    branches,
    configurations,
    usedComponents,
  }: Pick<RunJobServices, 'branches' | 'configurations' | 'usedComponents'>,
): Promise<Record<string, unknown>> => {
  const existing = await branches.get(job.id)
  if (existing) return branchResource(existing)
  if ((await branches.list()).some(branch => branch.name === name)) throw nameTaken(name)

  const catalogue = componentIds.map(id => ({ id }))
  for (const { id: componentId } of await usedComponents.of(catalogue)) {
    const all = await configurations.list(defaultBranchId, componentId)
    const live = all.filter(({ current }) => !current.content.isDeleted)
    await pMap(
      live,
      async configuration => {
        const place = { branchId: job.id, componentId, configId: configuration.id }
        await configurations.insert(place, branched(configuration, job))
      },
      { concurrency: COPIES_AT_ONCE },
    )
  }
  const branch: BranchRecord = {
    id: job.id,
    name,
    description,
    created: job.createdTime,
    creatorToken: job.creatorToken,
    revision: 1,
  }
  await branches.insert(branch)
  return branchResource(branch)
}

const nameTaken = (name: string) =>
  new UserError('devBranch.duplicateName', `There already is a branch with name "${name}"`)

/** Version 1 of its own, with the rows and states of the original. */
const branched = (configuration: Configuration, job: ProcessingJob): Configuration => {
  const { content } = configuration.current
  const changed = {
    at: job.createdTime,
    token: job.creatorToken,
    description: `Copied from default branch configuration "${content.name}" (${configuration.id}) version ${configuration.current.version}`,
    identifier: String(job.id),
  }
  const rows = content.rows.map(row => ({ ...row, version: 1, configurationVersion: 1, changed }))
  return {
    ...configuration,
    internalId: `${job.id}-${configuration.internalId}`,
    // The branch's versions start at 1, and none is from version 0.1.
    ...(configuration.secrets && { secrets: { ...configuration.secrets, unboundUntil: 0 } }),
    rows: configuration.rows
      .filter(({ id }) => rows.some(row => row.id === id))
      .map(remembered => ({ ...remembered, version: 1 })),
    current: { version: 1, changed, content: { ...content, rows } },
  }
}
