import { UserError } from '../../lib/errors/errors.ts'
import { defaultBranchId } from '../../lib/storage/branches/branch-store.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { findTable } from './find-table.ts'

/** Copies a table of the default branch, with its bucket, into the branch of the path, in place of what it has there. */
export const pullTable = defineRoute({
  method: 'post',
  path: '/v2/storage/tables/{tableId}/pull',
  summary: 'Copy a table of the default branch into a branch',
  tag: 'tables',
  replies: {
    202: 'A job `tablePull`; its results are the table',
    404: 'The default branch has no such table',
    501: 'The path names the default branch',
  },
  handle: async (request, services) => {
    const { tableId } = request.params
    return submitJob(request, services, {
      input: { operationName: 'tablePull', tableId },
      tableId,
      queueTableId: tableId,
      admit: async () => {
        if (request.branchId === defaultBranchId)
          throw new UserError('notImplemented', 'A table cannot be pulled into the default branch.')
        await findTable({ ...services, ...services.inBranch(defaultBranchId) }, tableId)
        return { tableId }
      },
    })
  },
})
