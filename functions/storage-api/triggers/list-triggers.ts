import { z } from '@hono/zod-openapi'
import { text } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { triggerBody, triggerResource } from './trigger-resource.ts'

export const listTriggers = defineRoute({
  method: 'get',
  path: '/v2/storage/triggers',
  summary: 'List triggers',
  tag: 'triggers',
  access: 'project',
  query: z.object({ component: text().optional(), configurationId: text().optional() }),
  replies: { 200: 'The triggers, oldest first' },
  reply: z.array(triggerBody),
  handle: async ({ query }, { triggers }) => {
    const found = (await triggers.list()).filter(
      trigger =>
        trigger.component === (query.component ?? trigger.component) &&
        trigger.configurationId === (query.configurationId ?? trigger.configurationId),
    )
    return ok(found.map(triggerResource))
  },
})
