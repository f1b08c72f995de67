import { UserError } from '../../lib/errors/errors.ts'
import { parseId } from '../../lib/storage/db/ids.ts'
import { ok } from '../http/reply.ts'
import { accessDenied } from '../http/rights.ts'
import { defineRoute } from '../http/route.ts'
import { eventBody, eventResource } from './event-resource.ts'
import { mayReadEvent } from './may-read-event.ts'

export const getEvent = defineRoute({
  method: 'get',
  path: '/v2/storage/events/{eventId}',
  summary: 'Event detail',
  tag: 'events',
  replies: {
    200: 'The event',
    403: 'The token may not read what the event is about',
    404: 'There is no such event',
  },
  reply: eventBody,
  handle: async ({ params, caller, baseUrl }, { events }) => {
    const id = parseId(params.eventId)
    const event = id === undefined ? undefined : await events.get(id)
    if (!event)
      throw new UserError('storage.events.notFound', `Event ${params.eventId.slice(0, 20)} not found`)
    if (!mayReadEvent(caller, event)) throw accessDenied()
    return ok(eventResource(event, baseUrl))
  },
})
