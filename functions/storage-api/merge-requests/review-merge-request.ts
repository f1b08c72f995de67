import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { digestOfChange } from '../../lib/storage/merge-requests/branch-changes.ts'
import type { MergeRequest, MergeRequestState } from '../../lib/storage/merge-requests/merge-request-store.ts'
import { recordEvent } from '../events/record-event.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { changesOf, findMergeRequest, withChanges } from './find-merge-request.ts'
import { mergeRequestBody, mergeRequestWords } from './merge-request-body.ts'

interface Move {
  path: `/v2/storage/merge-request/{mergeRequestId}/${string}`
  summary: string
  from: readonly MergeRequestState[]
  to: MergeRequestState
}

/** A route that moves a merge request to its next state. One that is there already stays as it is. */
const move = ({ path, summary, from, to }: Move) =>
  defineRoute({
    method: 'put',
    path: path as '/v2/storage/merge-request/{mergeRequestId}/move',
    summary,
    tag: 'merge requests',
    access: 'master',
    replies: {
      200: 'The merge request',
      400: '`storage.mergeRequest.invalidState`',
      404: 'There is no such merge request',
    },
    reply: mergeRequestBody,
    handle: async (request, services) => {
      const { tokenId: id, description } = request.caller
      const approval = { at: services.now().toISOString(), token: { id, description } }
      const found = await findMergeRequest(services, request.params.mergeRequestId)
      // Whoever asks for changes takes back what was approved.
      const approvedChanges = to === 'approved' ? (await changesOf(found, services)).map(digestOfChange) : []
      const moved = await services.mergeRequests.update(found.id, (current): MergeRequest => {
        if (current.state === to) return current
        if (!from.includes(current.state)) throw invalidState(current, to)
        const approvals = to === 'approved' ? [...current.approvals, approval] : []
        return { ...current, state: to, approvals, approvedChanges }
      })
      if (moved && moved.revision !== found.revision) {
        const params = { stateFrom: found.state, stateTo: to, mergeRequestId: found.id }
        const about = { id: String(found.id), name: found.title, words: { state: to }, params }
        await recordEvent(request, services, auditEvent('mergeRequestStateChanged', about))
      }
      return ok(await withChanges(moved ?? found, services))
    },
  })

/** Changes the words of a merge request, before its review and during it. */
export const updateMergeRequest = defineRoute({
  method: 'put',
  path: '/v2/storage/merge-request/{mergeRequestId}',
  summary: 'Change the title and description of a merge request',
  tag: 'merge requests',
  access: 'master',
  body: z.object(mergeRequestWords).partial(),
  replies: {
    200: 'The merge request',
    400: '`storage.mergeRequest.invalidState`',
    404: 'There is no such merge request',
  },
  reply: mergeRequestBody,
  handle: async ({ params, body: { title, description } }, services) => {
    const found = await findMergeRequest(services, params.mergeRequestId)
    const changed = await services.mergeRequests.update(found.id, (current): MergeRequest => {
      if (current.state !== 'development' && current.state !== 'in_review')
        throw new UserError(
          'storage.mergeRequest.invalidState',
          `Merge request ${current.id} is "${current.state}" and cannot be changed.`,
        )
      return {
        ...current,
        title: title ?? current.title,
        description: description ?? current.description,
      }
    })
    return ok(await withChanges(changed ?? found, services))
  },
})

const invalidState = ({ id, state }: MergeRequest, to: MergeRequestState) =>
  new UserError(
    'storage.mergeRequest.invalidState',
    `Merge request ${id} is "${state}" and cannot be "${to}".`,
  )

export const requestReview = move({
  path: '/v2/storage/merge-request/{mergeRequestId}/request-review',
  summary: 'Ask for a review of a merge request',
  from: ['development'],
  to: 'in_review',
})

export const approveMergeRequest = move({
  path: '/v2/storage/merge-request/{mergeRequestId}/approve',
  summary: 'Approve a merge request',
  from: ['in_review'],
  to: 'approved',
})

export const requestChanges = move({
  path: '/v2/storage/merge-request/{mergeRequestId}/request-changes',
  summary: 'Ask for changes of a merge request',
  from: ['in_review', 'approved'],
  to: 'development',
})
