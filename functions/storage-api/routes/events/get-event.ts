import { UserError } from '../../../lib/errors.ts'
import { parseId } from '../../../lib/storage-store/ids.ts'
import { accessDenied } from '../../access/rights.ts'
import { eventBody, eventResource } from '../../events/event-resource.ts'
import { ok } from '../../wire/reply.ts'
import { defineRoute } from '../../wire/route.ts'

export const getEvent = defineRoute({
  method: 'get',
  path: '/v2/storage/events/{eventId}',
  summary: 'Event detail',
  tag: 'events',
  replies: { 200: 'The event', 404: 'There is no such event' },
  reply: eventBody,
  handle: async ({ params, caller, baseUrl }, { events }) => {
    const id = parseId(params.eventId)
    const event = id === undefined ? undefined : await events.get(id)
    if (!event)
      throw new UserError('storage.events.notFound', `Event ${params.eventId.slice(0, 20)} not found`, {
        status: 404,
      })
    if (!caller.canManageBuckets && event.token.id !== caller.tokenId) throw accessDenied()
    return ok(eventResource(event, baseUrl))
  },
})
