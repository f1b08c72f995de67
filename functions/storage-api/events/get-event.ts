import { UserError } from '../../lib/errors/errors.ts'
import { eventIdOf } from '../../lib/storage/events/event-uuid.ts'
import { eventBody } from '../../lib/wire/event-body.ts'
import { ok } from '../http/reply.ts'
import { accessDenied } from '../http/rights.ts'
import { defineRoute } from '../http/route.ts'
import { eventResource } from './event-resource.ts'
import { mayReadEvent } from './may-read-event.ts'

/** One event of the branch of the path, by its id or its UUID. */
export const getEvent = defineRoute({
  method: 'get',
  path: '/v2/storage/events/{eventId}',
  summary: 'Event detail',
  tag: 'events',
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
    return ok(eventResource(event, { baseUrl, now: now() }))
  },
})
