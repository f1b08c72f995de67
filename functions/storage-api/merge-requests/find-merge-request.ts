import { UserError } from '../../lib/errors/errors.ts'
import { parseId } from '../../lib/storage/db/ids.ts'
import { type BranchChange, branchChanges } from '../../lib/storage/merge-requests/branch-changes.ts'
import { mergeRequestResource } from '../../lib/storage/merge-requests/merge-request-resource.ts'
import type { MergeRequest } from '../../lib/storage/merge-requests/merge-request-store.ts'
import type { Services } from '../services/services.ts'

/** The merge request of a path, or 404 `storage.mergeRequest.notFound`. */
export const findMergeRequest = async (
  { mergeRequests }: Pick<Services, 'mergeRequests'>,
  given: string,
): Promise<MergeRequest> => {
  const id = parseId(given)
  const found = id === undefined ? undefined : await mergeRequests.get(id)
  if (!found)
    throw new UserError('storage.mergeRequest.notFound', `Merge request ${given.slice(0, 50)} was not found.`)
  return found
}

export const isOver = ({ state }: MergeRequest): boolean => state === 'published' || state === 'canceled'

/** A request with what it would change at this moment; nothing once it is over. */
export const withChanges = async (request: MergeRequest, services: Services) => {
  const changes = isOver(request) ? [] : await changesOf(request, services)
  return mergeRequestResource(request, changes)
}

export const changesOf = ({ branchFromId }: MergeRequest, services: Services): Promise<BranchChange[]> => {
  const componentIds = services.components.list().map(({ id }) => id)
  return branchChanges(branchFromId, componentIds, services)
}
