import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { branchResource } from '../../lib/storage/branches/branch-resource.ts'
import type { BranchRecord } from '../../lib/storage/branches/branch-store.ts'
import { refuseTakenName } from '../../lib/storage/branches/refuse-taken-name.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { findBranch } from '../find/find-branch.ts'
import { text } from '../http/fields.ts'
import { recordEvent } from '../http/record-event.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { branchBody } from './branch-body.ts'

/** Changes name and description. The default branch keeps its name; an empty name leaves it as it is. */
export const updateBranch = defineRoute({
  method: 'put',
  path: '/v2/storage/dev-branches/{branchId}',
  summary: 'Update a branch',
  tag: 'branches',
  access: 'project',
  body: z.object({
    name: text({ max: 255 }).optional(),
    description: text({ max: 20_000 }).optional(),
  }),
  replies: {
    200: 'The branch',
    400: '`devBranch.duplicateName`, `storage.devBranch.cannotRenameDefault`',
    404: 'There is no such branch',
  },
  reply: branchBody,
  handle: async (request, services) => {
    const { params, body } = request
    const { branches } = services
    const branch = await findBranch(services, params.branchId)
    const name = newName(branch, body.name)
    await refuseTakenName(branches, { id: branch.id, name })
    // The default branch has no record of its own before its first change.
    if (branch.revision === 0) await branches.insert(branch)
    const updated = await branches.update(branch.id, current => ({
      ...current,
      name,
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

const newName = ({ id, name }: BranchRecord, given: string | undefined): string => {
  if (given === undefined || given === name) return name
  if (id !== defaultBranchId) {
    if (given !== '') return given
    throw new UserError('storage.validation', 'Invalid request:\n - name: "This value should not be blank."')
  }
  if (given === '') return name
  throw new UserError('storage.devBranch.cannotRenameDefault', 'You can not update default branch name.')
}
