import { z } from '@hono/zod-openapi'
import { distinctAuthors } from '../../lib/storage/configurations/configuration.ts'
import { lastImports } from '../../lib/storage/triggers/watched-imports.ts'
import { recordEvent } from '../events/record-event.ts'
import { integer, text, textList } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { checkTrigger, findTrigger, triggerNotFound } from './check-trigger.ts'
import { triggerEvent } from './trigger-event.ts'
import { triggerBody, triggerResource } from './trigger-resource.ts'
import { requireComponents } from './trigger-rights.ts'

const settings = {
  runWithTokenId: integer({ min: 1 }).optional(),
  component: text({ min: 1, max: 255 }).optional(),
  configurationId: text({ min: 1, max: 255 }).optional(),
  coolDownPeriodMinutes: integer({ min: 1, max: 525_600 }).optional(),
  tableIds: textList({ max: 1_000, itemMax: 400 }).optional(),
}

/** Replaces the given settings. Whoever sends them all answers for the trigger alone. */
export const updateTrigger = defineRoute({
  method: 'put',
  path: '/v2/storage/triggers/{triggerId}',
  summary: 'Update a trigger',
  tag: 'triggers',
  body: z.object(settings),
  replies: {
    200: 'The trigger',
    400: '`storage.triggers.tokenExpires`',
    403: 'The token may not use the component, before or after, or not read a table',
    404: 'There is no such trigger, table or token',
  },
  reply: triggerBody,
  handle: async (request, services) => {
    const { params, body, caller } = request
    const { id, component, runWithTokenId } = await findTrigger(services, params.triggerId)
    requireComponents(caller, [body.component ?? component, component])
    // Whatever is changed, the runs have that token's rights: the caller must not gain any by it.
    await checkTrigger({ runWithTokenId, ...body }, caller, services)
    const author = { id: caller.tokenId, description: caller.description }
    const isWhole = Object.keys(settings).every(name => name in body)
    // Of tables that it begins to watch only later imports count.
    const imports = await lastImports(body.tableIds ?? [], services.tables)
    const trigger = await services.triggers.update(id, current => ({
      ...current,
      runWithTokenId: body.runWithTokenId ?? current.runWithTokenId,
      component: body.component ?? current.component,
      configurationId: body.configurationId ?? current.configurationId,
      coolDownPeriodMinutes: body.coolDownPeriodMinutes ?? current.coolDownPeriodMinutes,
      tableIds: body.tableIds ?? current.tableIds,
      authors: isWhole ? [author] : distinctAuthors([...current.authors, author]),
      ...(current.answered && { answered: { ...imports, ...current.answered } }),
    }))
    if (!trigger) throw triggerNotFound(params.triggerId)
    await recordEvent(request, services, triggerEvent('triggerUpdated', trigger))
    return ok(triggerResource(trigger))
  },
})
