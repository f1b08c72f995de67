import { z } from '@hono/zod-openapi'
import { tableIdOf } from '../../lib/storage/tables/table-store.ts'
import { findBucket } from '../buckets/find-bucket.ts'
import { ok } from '../http/reply.ts'
import { requireMaster } from '../http/rights.ts'
import { defineRoute } from '../http/route.ts'
import { findTable } from '../tables/find-table.ts'
import { eventQuery, findEvents } from './event-query.ts'
import { eventBody, eventResource } from './event-resource.ts'

const shared = { method: 'get', tag: 'events', query: eventQuery, reply: z.array(eventBody) } as const

/** Events of the project, newest first. */
export const listEvents = defineRoute({
  ...shared,
  path: '/v2/storage/events',
  summary: 'List events',
  replies: { 200: 'The events' },
  handle: async ({ query, caller, baseUrl }, { events }) => {
    const found = await findEvents(events.list, query, caller)
    return ok(found.map(event => eventResource(event, baseUrl)))
  },
})

export const listTableEvents = defineRoute({
  ...shared,
  path: '/v2/storage/tables/{tableId}/events',
  summary: 'List the events of a table',
  replies: { 200: 'The events', 404: 'There is no such table' },
  handle: async ({ params, query, caller, baseUrl }, services) => {
    const table = await findTable(services, params.tableId)
    const found = await findEvents(services.events.listOf('table', tableIdOf(table)), query, caller)
    return ok(found.map(event => eventResource(event, baseUrl)))
  },
})

export const listBucketEvents = defineRoute({
  ...shared,
  path: '/v2/storage/buckets/{bucketId}/events',
  summary: 'List the events of a bucket',
  replies: { 200: 'The events', 404: 'There is no such bucket' },
  handle: async ({ params, query, caller, baseUrl }, services) => {
    const { id } = await findBucket(services, params.bucketId)
    const found = await findEvents(services.events.listOf('bucket', id), query, caller)
    return ok(found.map(event => eventResource(event, baseUrl)))
  },
})

/** What was done with a token. A token may read its own. */
export const listTokenEvents = defineRoute({
  ...shared,
  path: '/v2/storage/tokens/{tokenId}/events',
  summary: 'List the events of a token',
  replies: { 200: 'The events' },
  handle: async ({ params, query, caller, baseUrl }, { events }) => {
    if (params.tokenId !== caller.tokenId) requireMaster(caller)
    // An id that cannot be one of ours has no events.
    if (!/^\d{1,16}$/.test(params.tokenId)) return ok([])
    const found = await findEvents(events.listOf('token', params.tokenId), query, caller)
    return ok(found.map(event => eventResource(event, baseUrl)))
  },
})
