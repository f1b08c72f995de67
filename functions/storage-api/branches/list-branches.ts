import { z } from '@hono/zod-openapi'
import { branchResource } from '../../lib/storage/branches/branch-resource.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { findBranch } from '../find/find-branch.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { branchBody } from './branch-body.ts'

/** The branches, the default one last, as the hosted service lists them. Clients read its id here and use it in the paths of all other routes. */
export const listBranches = defineRoute({
  method: 'get',
  path: '/v2/storage/dev-branches',
  summary: 'List branches',
  tag: 'branches',
  replies: { 200: 'The branches' },
  reply: z.array(branchBody),
  handle: async (_request, services) => {
    const all = await services.branches.list()
    const others = all.filter(({ id }) => id !== defaultBranchId)
    return ok([...others, await findBranch(services, 'default')].map(branchResource))
  },
})
