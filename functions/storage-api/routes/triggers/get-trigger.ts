import { findTrigger } from '../../triggers/check-trigger.ts'
import { triggerBody, triggerResource } from '../../triggers/trigger-resource.ts'
import { ok } from '../../wire/reply.ts'
import { defineRoute } from '../../wire/route.ts'

export const getTrigger = defineRoute({
  method: 'get',
  path: '/v2/storage/triggers/{triggerId}',
  summary: 'Trigger detail',
  tag: 'triggers',
  access: 'project',
  replies: { 200: 'The trigger', 404: 'There is no such trigger' },
  reply: triggerBody,
  handle: async ({ params }, services) => ok(triggerResource(await findTrigger(services, params.triggerId))),
})
