import { branchResource } from '../../../lib/storage-resources/branch-resource.ts'
import { branchBody } from '../../branches/branch-body.ts'
import { findBranch } from '../../branches/find-branch.ts'
import { ok } from '../../wire/reply.ts'
import { defineRoute } from '../../wire/route.ts'

export const getBranch = defineRoute({
  method: 'get',
  path: '/v2/storage/dev-branches/{branchId}',
  summary: 'Branch detail',
  tag: 'branches',
  replies: { 200: 'The branch', 404: 'There is no such branch' },
  reply: branchBody,
  handle: async ({ params }, services) => ok(branchResource(await findBranch(services, params.branchId))),
})
