import { branchResource } from '../../lib/storage/branches/branch-resource.ts'
import { findBranch } from '../find/find-branch.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { branchBody } from './branch-body.ts'

export const getBranch = defineRoute({
  method: 'get',
  path: '/v2/storage/dev-branches/{branchId}',
  summary: 'Branch detail',
  tag: 'branches',
  replies: { 200: 'The branch', 404: 'There is no such branch' },
  reply: branchBody,
  handle: async ({ params }, services) => ok(branchResource(await findBranch(services, params.branchId))),
})
