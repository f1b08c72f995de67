import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { branchResource } from '../../lib/storage/branches/branch-resource.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { recordEvent } from '../events/record-event.ts'
import { text } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { branchBody } from './branch-body.ts'
import { findBranch } from './find-branch.ts'

/** Changes name and description, also of the default branch. */
export const updateBranch = defineRoute({
  method: 'put',
  path: '/v2/storage/dev-branches/{branchId}',
  summary: 'Update a branch',
  tag: 'branches',
  access: 'project',
  body: z.object({
    name: text({ min: 1, max: 255 }).optional(),
    description: text({ max: 20_000 }).optional(),
  }),
  replies: { 200: 'The branch', 400: '`storage.devBranch.alreadyExists`', 404: 'There is no such branch' },
  reply: branchBody,
  handle: async (request, services) => {
    const { params, body } = request
    const { branches } = services
    const branch = await findBranch(services, params.branchId)
    const isTaken = (await branches.list()).some(({ id, name }) => id !== branch.id && name === body.name)
    if (isTaken)
      throw new UserError(
        'storage.devBranch.alreadyExists',
        `There already is a branch with name "${body.name}"`,
      )
    // The default branch has no record of its own before its first change.
    if (branch.revision === 0) await branches.insert(branch)
    const updated = await branches.update(branch.id, current => ({
      ...current,
      name: body.name ?? current.name,
      description: body.description ?? current.description,
    }))
    const event = auditEvent('devBranchUpdated', {
      id: String(branch.id),
      name: branch.name,
      params: { devBranchName: updated?.name ?? branch.name },
    })
    await recordEvent(request, services, event)
    return ok(branchResource(updated ?? branch))
  },
})
