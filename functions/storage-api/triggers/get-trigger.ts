import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { findTrigger } from './check-trigger.ts'
import { triggerBody, triggerResource } from './trigger-resource.ts'

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
