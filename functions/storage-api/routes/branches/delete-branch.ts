import { UserError } from '../../../lib/errors.ts'
import { defaultBranchId } from '../../../lib/storage-store/branch-store.ts'
import { findBranch } from '../../branches/find-branch.ts'
import { submitJob } from '../../jobs/submit-job.ts'
import { defineRoute } from '../../wire/route.ts'

export const deleteBranch = defineRoute({
  method: 'delete',
  path: '/v2/storage/dev-branches/{branchId}',
  summary: 'Delete a branch with its configurations',
  tag: 'branches',
  access: 'project',
  replies: {
    202: 'A job `devBranchDelete`',
    400: '`storage.devBranch.cannotDeleteDefault`',
    404: 'There is no such branch',
  },
  handle: async (request, services) => {
    const { id } = await findBranch(services, request.params.branchId)
    if (id === defaultBranchId)
      throw new UserError('storage.devBranch.cannotDeleteDefault', 'The default branch cannot be deleted.')
    const componentIds = services.components.list().map(component => component.id)
    return submitJob(request, services, {
      input: { operationName: 'devBranchDelete', branchId: id, componentIds },
      admit: async () => ({ branchId: id }),
    })
  },
})
