import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { findTrigger } from './check-trigger.ts'
import { triggerBody, triggerResource } from './trigger-resource.ts'
import { requireComponents } from './trigger-rights.ts'

export const getTrigger = defineRoute({
  method: 'get',
  path: '/v2/storage/triggers/{triggerId}',
  summary: 'Trigger detail',
  tag: 'triggers',
  replies: {
    200: 'The trigger',
    403: 'The token may not use the component',
    404: 'There is no such trigger',
  },
  reply: triggerBody,
  handle: async ({ params, caller }, services) => {
    const trigger = await findTrigger(services, params.triggerId)
    requireComponents(caller, [trigger.component])
    return ok(triggerResource(trigger))
  },
})
