import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { defaultBranchId } from '../../lib/storage/branches/branch-store.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import type { MergeRequest } from '../../lib/storage/merge-requests/merge-request-store.ts'
import { recordEvent } from '../events/record-event.ts'
import { integer } from '../http/fields.ts'
import { created } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { isOver, withChanges } from './find-merge-request.ts'
import { mergeRequestBody, mergeRequestWords } from './merge-request-body.ts'

/** Asks for the configurations of a branch to be merged into the default branch. */
export const createMergeRequest = defineRoute({
  method: 'post',
  path: '/v2/storage/merge-request',
  summary: 'Create a merge request',
  tag: 'merge requests',
  access: 'master',
  body: z.object({
    branchFromId: integer(),
    branchIntoId: integer(),
    title: mergeRequestWords.title,
    description: mergeRequestWords.description.default(''),
  }),
  replies: { 201: 'The merge request', 400: 'A branch is wrong' },
  reply: mergeRequestBody,
  handle: async (request, services) => {
    const { branchFromId, branchIntoId, title, description } = request.body
    const { branches, mergeRequests, nextId, now } = services
    for (const id of [branchFromId, branchIntoId])
      if (id !== defaultBranchId && !(await branches.get(id)))
        throw cannotCreate(`Branch id:"${id}" was not found.`)
    if (branchIntoId !== defaultBranchId) throw cannotCreate('Target branch is not default.')
    if (branchFromId === defaultBranchId) throw cannotCreate('Source branch is default.')
    const open = (await mergeRequests.list()).find(
      other => other.branchFromId === branchFromId && !isOver(other),
    )
    if (open) throw cannotCreate(`Branch id:"${branchFromId}" has the merge request ${open.id} already.`)
    const { tokenId: id, description: name } = request.caller
    const make = (): MergeRequest => ({
      id: nextId(),
      branchFromId,
      branchIntoId,
      title,
      description,
      state: 'development',
      creatorToken: { id, description: name },
      created: now().toISOString(),
      approvals: [],
      approvedChanges: [],
      revision: 1,
    })
    let made = make()
    while (!(await mergeRequests.insert(made))) made = make()
    const params = { creatorId: Number(id), mergeRequestId: made.id }
    const event = auditEvent('mergeRequestCreated', { id: String(made.id), name: title, params })
    await recordEvent(request, services, event)
    return created(await withChanges(made, services))
  },
})

const cannotCreate = (why: string) =>
  new UserError('storage.mergeRequest.validation', `Cannot create merge request. ${why}`)
