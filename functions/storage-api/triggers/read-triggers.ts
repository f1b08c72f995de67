import { z } from '@hono/zod-openapi'
import { recordEvent } from '../events/record-event.ts'
import { text } from '../http/fields.ts'
import { noContent, ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { triggerEvent } from './trigger-event.ts'
import { triggerBody, triggerResource } from './trigger-resource.ts'
import { requireComponents, visibleTriggers } from './trigger-rights.ts'
import { findTrigger } from './write-trigger.ts'

export const listTriggers = defineRoute({
  method: 'get',
  path: '/v2/storage/triggers',
  summary: 'List triggers',
  tag: 'triggers',
  query: z.object({ component: text().optional(), configurationId: text().optional() }),
  replies: {
    200: 'The triggers of the components that the token may use, oldest first',
    403: 'The token may use no component',
  },
  reply: z.array(triggerBody),
  handle: async ({ query, caller }, { triggers }) => {
    const found = visibleTriggers(caller, await triggers.list()).filter(
      trigger =>
        trigger.component === (query.component ?? trigger.component) &&
        trigger.configurationId === (query.configurationId ?? trigger.configurationId),
    )
    return ok(found.map(triggerResource))
  },
})

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
