import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { isFinal } from '../../lib/storage/jobs/job-record.ts'
import { conflictsOf, digestOfChange } from '../../lib/storage/merge-requests/branch-changes.ts'
import type { MergeRequest, MergeRequestState } from '../../lib/storage/merge-requests/merge-request-store.ts'
import { integer } from '../http/fields.ts'
import { recordEvent } from '../http/record-event.ts'
import { created, ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import type { Services } from '../services/services.ts'
import { changesOf, findMergeRequest, isOver, withChanges } from './find-merge-request.ts'
import { conflictBody, mergeRequestBody, mergeRequestWords } from './merge-request-body.ts'

export const listMergeRequests = defineRoute({
  method: 'get',
  path: '/v2/storage/merge-request',
  summary: 'List merge requests',
  tag: 'merge requests',
  access: 'project',
  replies: { 200: 'The merge requests' },
  reply: z.array(mergeRequestBody),
  handle: async (_request, services) => {
    const resources = []
    for (const each of await services.mergeRequests.list()) resources.push(await withChanges(each, services))
    return ok(resources)
  },
})

export const getMergeRequest = defineRoute({
  method: 'get',
  path: '/v2/storage/merge-request/{mergeRequestId}',
  summary: 'Merge request detail',
  tag: 'merge requests',
  access: 'project',
  replies: { 200: 'The merge request', 404: 'There is no such merge request' },
  reply: mergeRequestBody,
  handle: async ({ params }, services) =>
    ok(await withChanges(await findMergeRequest(services, params.mergeRequestId), services)),
})

/** What a merge would refuse at this moment; nothing once the request is over. */
export const listConflicts = defineRoute({
  method: 'get',
  path: '/v2/storage/merge-request/{mergeRequestId}/conflicts',
  summary: 'Conflicts of a merge request',
  tag: 'merge requests',
  access: 'project',
  replies: { 200: 'The conflicts', 404: 'There is no such merge request' },
  reply: z.array(conflictBody),
  handle: async ({ params }, services) => {
    const found = await findMergeRequest(services, params.mergeRequestId)
    return ok(isOver(found) ? [] : conflictsOf(await changesOf(found, services)))
  },
})

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

/** The queue of all merges. No table has such an id. */
const MERGES = 'merges'

/** Merges an approved request. One merge runs at a time; the job tells of conflicts. */
export const mergeMergeRequest = defineRoute({
  method: 'put',
  path: '/v2/storage/merge-request/{mergeRequestId}/merge',
  summary: 'Merge a merge request',
  tag: 'merge requests',
  access: 'master',
  replies: {
    202: 'A job `devBranchMerge`; its results are the merge request',
    400: '`storage.mergeRequest.invalidState`, `storage.mergeRequest.inProgress`',
    404: 'There is no such merge request',
  },
  handle: async (request, services) => {
    const {
      id: mergeRequestId,
      state,
      title,
    } = await findMergeRequest(services, request.params.mergeRequestId)
    const componentIds = services.components.list().map(({ id }) => id)
    return submitJob(request, services, {
      input: { operationName: 'devBranchMerge', mergeRequestId, componentIds },
      queueTableId: MERGES,
      admit: async () => {
        if (state !== 'approved')
          throw new UserError(
            'storage.mergeRequest.invalidState',
            `Merge request ${mergeRequestId} is "${state}". Only an approved one is merged.`,
          )
        await refuseSecondMerge(services)
        return { mergeRequestId, title }
      },
    })
  },
})

const refuseSecondMerge = async ({ queue, jobs }: Services): Promise<void> => {
  const first = await queue.first(MERGES)
  const job = first === undefined ? undefined : await jobs.get(first)
  if (job && !isFinal(job))
    throw new UserError('storage.mergeRequest.inProgress', 'Cannot merge, another merge is in progress.')
}
