import { UserError } from '../../lib/errors/errors.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { findBranch } from '../find/find-branch.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'

export const deleteBranch = defineRoute({
  method: 'delete',
  path: '/v2/storage/dev-branches/{branchId}',
  summary: 'Delete a branch with all that is its own',
  tag: 'branches',
  access: 'master',
  replies: {
    202: 'A job `devBranchDelete`',
    400: '`storage.devBranch.cannotDeleteDefault`',
    403: 'The token is not the master token',
    404: 'There is no such branch',
  },
  handle: async (request, services) => {
    const { id, name } = await findBranch(services, request.params.branchId)
    if (id === defaultBranchId)
      throw new UserError('storage.devBranch.cannotDeleteDefault', 'Cannot delete Main branch')
    const componentIds = services.components.list().map(component => component.id)
    return submitJob(request, services, {
      input: { operationName: 'devBranchDelete', branchId: id, name, componentIds },
      admit: async () => ({ branchId: id }),
    })
  },
})
