import { z } from '@hono/zod-openapi'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { findMergeRequest, withChanges } from './find-merge-request.ts'
import { mergeRequestBody } from './merge-request-body.ts'

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
