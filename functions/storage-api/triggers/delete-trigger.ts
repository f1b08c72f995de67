import { recordEvent } from '../events/record-event.ts'
import { noContent } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { findTrigger } from './check-trigger.ts'
import { triggerEvent } from './trigger-event.ts'
import { requireComponents } from './trigger-rights.ts'

export const deleteTrigger = defineRoute({
  method: 'delete',
  path: '/v2/storage/triggers/{triggerId}',
  summary: 'Delete a trigger',
  tag: 'triggers',
  replies: { 204: 'Deleted', 403: 'The token may not use the component', 404: 'There is no such trigger' },
  handle: async (request, services) => {
    const trigger = await findTrigger(services, request.params.triggerId)
    requireComponents(request.caller, [trigger.component])
    await services.triggers.delete(trigger.id)
    await recordEvent(request, services, triggerEvent('triggerDeleted', trigger))
    return noContent()
  },
})
