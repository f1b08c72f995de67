import { z } from '@hono/zod-openapi'
import { text } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { triggerBody, triggerResource } from './trigger-resource.ts'
import { visibleTriggers } from './trigger-rights.ts'

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
