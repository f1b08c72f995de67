import { z } from '@hono/zod-openapi'
import { lastImports } from '../../lib/storage/triggers/watched-imports.ts'
import { recordEvent } from '../events/record-event.ts'
import { integer, text, textList } from '../http/fields.ts'
import { created } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { checkTrigger } from './check-trigger.ts'
import { triggerEvent } from './trigger-event.ts'
import { triggerBody, triggerResource } from './trigger-resource.ts'
import { requireComponents } from './trigger-rights.ts'

/** Stores what to run when tables are imported. Only later imports count, and the first run waits for the cool-down. */
export const createTrigger = defineRoute({
  method: 'post',
  path: '/v2/storage/triggers',
  summary: 'Create a trigger',
  tag: 'triggers',
  body: z.object({
    runWithTokenId: integer({ min: 1 }),
    component: text({ min: 1, max: 255 }),
    configurationId: text({ min: 1, max: 255 }),
    coolDownPeriodMinutes: integer({ min: 1, max: 525_600 }),
    tableIds: textList({ max: 1_000, itemMax: 400 }).refine(ids => ids.length > 0, {
      error: 'This value should name at least one table.',
    }),
  }),
  replies: {
    201: 'The trigger',
    400: '`storage.triggers.tokenExpires`',
    403: 'The token may not use the component, or not read a table',
    404: 'There is no such table or token',
  },
  reply: triggerBody,
  handle: async (request, services) => {
    const { body, caller } = request
    requireComponents(caller, [body.component])
    await checkTrigger(body, caller, services)
    const author = { id: caller.tokenId, description: caller.description }
    const answered = await lastImports(body.tableIds, services.tables)
    for (;;) {
      const trigger = {
        ...body,
        id: services.nextId(),
        // The first run waits for the cool-down too.
        lastRun: services.now().toISOString(),
        answered,
        creatorToken: author,
        authors: [author],
        revision: 1,
      }
      // Skips an id that another process took in the same millisecond.
      if (!(await services.triggers.insert(trigger))) continue
      await recordEvent(request, services, triggerEvent('triggerCreated', trigger))
      return created(triggerResource(trigger))
    }
  },
})
