import { UserError } from '../../lib/errors/errors.ts'
import { isFinal } from '../../lib/storage/jobs/job-record.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import type { Services } from '../services.ts'
import { findMergeRequest } from './find-merge-request.ts'

/** The queue of all merges. No table has such an id. */
const MERGES = 'merges'

/** Merges an approved request. One merge runs at a time; the job tells of conflicts. */
export const mergeMergeRequest = defineRoute({
  method: 'put',
  path: '/v2/storage/merge-request/{mergeRequestId}/merge',
  summary: 'Merge a merge request',
  tag: 'merge requests',
  access: 'master',
  replies: {
    202: 'A job `devBranchMerge`; its results are the merge request',
    400: '`storage.mergeRequest.invalidState`, `storage.mergeRequest.inProgress`',
    404: 'There is no such merge request',
  },
  handle: async (request, services) => {
    const {
      id: mergeRequestId,
      state,
      title,
    } = await findMergeRequest(services, request.params.mergeRequestId)
    const componentIds = services.components.list().map(({ id }) => id)
    return submitJob(request, services, {
      input: { operationName: 'devBranchMerge', mergeRequestId, componentIds },
      queueTableId: MERGES,
      admit: async () => {
        if (state !== 'approved')
          throw new UserError(
            'storage.mergeRequest.invalidState',
            `Merge request ${mergeRequestId} is "${state}". Only an approved one is merged.`,
          )
        await refuseSecondMerge(services)
        return { mergeRequestId, title }
      },
    })
  },
})

const refuseSecondMerge = async ({ queue, jobs }: Services): Promise<void> => {
  const first = await queue.first(MERGES)
  const job = first === undefined ? undefined : await jobs.get(first)
  if (job && !isFinal(job))
    throw new UserError('storage.mergeRequest.inProgress', 'Cannot merge, another merge is in progress.')
}
