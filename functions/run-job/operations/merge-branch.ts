import { TransientError, UserError } from '../../lib/errors/errors.ts'
import { armSchedule, disarmingEvent } from '../../lib/storage/configurations/arm-schedule.ts'
import type { Configuration } from '../../lib/storage/configurations/configuration.ts'
import { compareBranches, mergedConfiguration } from '../../lib/storage/configurations/merge-branch.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import {
  type BranchChange,
  branchChanges,
  conflictsOf,
  digestOfChange,
} from '../../lib/storage/merge-requests/branch-changes.ts'
import { mergeRequestResource } from '../../lib/storage/merge-requests/merge-request-resource.ts'
import type { MergeRequest } from '../../lib/storage/merge-requests/merge-request-store.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { allRights } from '../../lib/storage/tokens/rights.ts'
import type { RunJobServices } from '../job/services.ts'
import { eventOfJob } from '../job/tell-job-end.ts'
import type { Outcome } from './outcome.ts'

/**
 * Merges the configurations of a branch into the default branch: all, or none when one conflicts. A run that comes after
 * a crash finds those that are merged already.
 *
 * Errors, all 400: `storage.mergeRequest.conflict` with each conflict, `storage.mergeRequest.invalidState`.
 */
export const mergeBranch = async (
  job: ProcessingJob,
  { mergeRequestId, componentIds }: InputOf<'devBranchMerge'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const { mergeRequests } = services
  const request = await mergeRequests.get(mergeRequestId)
  if (!request) throw new Error(`There is no merge request ${mergeRequestId}`)
  if (request.state !== 'published') {
    if (request.state !== 'approved')
      throw new UserError(
        'storage.mergeRequest.invalidState',
        `Merge request ${mergeRequestId} is "${request.state}". Only an approved one is merged.`,
      )
    const changes = await branchChanges(request.branchFromId, componentIds, services)
    refuseConflicts(mergeRequestId, changes)
    refuseOthers(request, changes)
    for (const change of changes) await merge(job, request.branchFromId, change, services)
  }
  const merged = { at: services.now().toISOString(), token: job.creatorToken }
  const published = await mergeRequests.update(mergeRequestId, current =>
    current.state === 'published' ? current : { ...current, state: 'published', merged },
  )
  return { results: mergeRequestResource(published ?? request, []) }
}

const refuseConflicts = (mergeRequestId: number, changes: readonly BranchChange[]): void => {
  const errors = conflictsOf(changes)
  if (errors.length === 0) return
  throw new UserError(
    'storage.mergeRequest.conflict',
    `Merge request ${mergeRequestId} cannot be merged. \nErrors: ${errors.map(({ message }) => `\n- ${message}`).join('')}`,
    { params: { errors } },
  )
}

/** What somebody stored in the branch after it was approved was seen by nobody. */
const refuseOthers = ({ id, approvedChanges }: MergeRequest, changes: readonly BranchChange[]): void => {
  if (changes.every(change => approvedChanges.includes(digestOfChange(change)))) return
  throw new UserError(
    'storage.mergeRequest.invalidState',
    `The branch was changed after merge request ${id} was approved. Ask for changes, look at them, and approve it again.`,
  )
}

/** The default branch may have moved since the comparison: the job then begins again, and finds the conflict. */
const merge = async (
  job: ProcessingJob,
  branchId: number,
  { componentId, source, target }: BranchChange,
  services: RunJobServices,
): Promise<void> => {
  const { configurations, metadata, nextId } = services
  const place = { branchId: defaultBranchId, componentId, configId: source.id }
  const { identifier } = source.current.changed
  const changed = {
    at: job.startTime,
    token: job.creatorToken,
    description: `Merged from branch ${branchId} version ${source.current.version}`,
    identifier,
  }
  const internalId = `${job.id}-${source.internalId}`
  const next = mergedConfiguration(target, source, { internalId, changed })
  if (!target) {
    await metadata.copy(metadataSubject.configuration(source), metadataSubject.configuration(next), nextId)
    if (!(await configurations.insert(place, next))) throw moved(source.id)
    return
  }
  const base = target.current.changed
  // Only the master token merges.
  const editor = { author: job.creatorToken, rights: allRights, isMaster: true }
  let before: Configuration | undefined
  const stored = await configurations.change(place, current => {
    before = current
    if (current.current.changed.identifier === identifier) return current
    if (compareBranches(source, { ...base, listed: '' }, current).kind !== 'change') throw moved(source.id)
    const next = mergedConfiguration(current, source, { internalId, changed })
    return armSchedule(current, next, { place, editor }, services)
  })
  const disarming = typeof stored === 'object' && disarmingEvent(before, stored, componentId)
  if (disarming)
    await services.events.create(nextId, id => ({ ...eventOfJob(job, job.startTime), ...disarming, id }))
}

const moved = (configId: string) =>
  new TransientError('storage.components.busy', `The configuration ${configId} changed during the merge.`)
