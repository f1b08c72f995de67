import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { eventIdOf } from '../../lib/storage/events/event-uuid.ts'
import { tableIdOf } from '../../lib/storage/tables/table-store.ts'
import { eventBody } from '../../lib/wire/event-body.ts'
import { findBucket } from '../find/find-bucket.ts'
import { findTable } from '../find/find-table.ts'
import { accessDenied, requireMaster } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'
import type { RouteRequest } from '../http/route-definition.ts'
import type { Services } from '../services/services.ts'
import { eventQuery, findEvents } from './event-query.ts'
import { eventResource } from './event-resource.ts'
import { mayReadEvent } from './may-read-event.ts'

export const routes = routesOf('events')

const shared = { query: eventQuery, reply: z.array(eventBody) }

type ListRequest = Pick<
  RouteRequest<unknown, z.output<typeof eventQuery>, unknown>,
  'query' | 'caller' | 'baseUrl'
>

const answer = async (
  list: Parameters<typeof findEvents>[0],
  { query, caller, baseUrl }: ListRequest,
  services: Services,
  branchId?: number,
) => {
  const facts = { projectId: services.projectId, now: services.now() }
  const reader = { caller, ...facts, ...(branchId !== undefined && { branchId }) }
  return findEvents(list, query, reader, event => eventResource(event, { ...facts, baseUrl }))
}

/** Events of the branch of the path, newest first. */
routes.get('/v2/storage/events', {
  ...shared,
  summary: 'List events',
  replies: { 200: 'The events' },
  handle: (request, services) => {
    const { branchId } = request
    const { list, listOf } = services.events
    const ofBranch = branchId === defaultBranchId ? list : listOf('branch', String(branchId))
    return answer(ofBranch, request, services, branchId)
  },
})

routes.get('/v2/storage/tables/{tableId}/events', {
  ...shared,
  summary: 'List the events of a table',
  replies: { 200: 'The events', 404: 'There is no such table' },
  handle: async (request, services) => {
    const id = tableIdOf(await findTable(services, request.params.tableId))
    return answer(services.events.listOf('table', id), request, services, request.branchId)
  },
})

routes.get('/v2/storage/buckets/{bucketId}/events', {
  ...shared,
  summary: 'List the events of a bucket',
  replies: { 200: 'The events', 404: 'There is no such bucket' },
  handle: async (request, services) => {
    const { id } = await findBucket(services, request.params.bucketId)
    return answer(services.events.listOf('bucket', id), request, services, request.branchId)
  },
})

/** What was done with a token and to it, in the branch of the path. A token may read its own. */
routes.get('/v2/storage/tokens/{tokenId}/events', {
  ...shared,
  summary: 'List the events of a token',
  replies: { 200: 'The events' },
  handle: async (request, services) => {
    const { tokenId } = request.params
    if (tokenId !== request.caller.tokenId) requireMaster(request.caller)
    // An id that cannot be one of ours has no events.
    if (!/^\d{1,16}$/.test(tokenId)) return []
    return answer(services.events.listOf('token', tokenId), request, services, request.branchId)
  },
})

/** One event of the branch of the path, by its id or its UUID. */
routes.get('/v2/storage/events/{eventId}', {
  summary: 'Event detail',
  replies: {
    200: 'The event',
    403: 'The token may not read what the event is about',
    404: 'There is no such event in the branch',
  },
  reply: eventBody,
  handle: async ({ params, caller, branchId, baseUrl }, { events, now }) => {
    const id = eventIdOf(params.eventId)
    const event = id === undefined ? undefined : await events.get(id)
    if (event?.branchId !== branchId) throw new UserError('storage.events.notFound', 'Event not found')
    if (!mayReadEvent(caller, event)) throw accessDenied()
    return eventResource(event, { baseUrl, now: now() })
  },
})
