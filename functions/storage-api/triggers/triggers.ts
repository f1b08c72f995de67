import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import type { ItemWrite } from '../../lib/items/item-table.ts'
import { distinctAuthors } from '../../lib/storage/configurations/configuration.ts'
import { storedUnder } from '../../lib/storage/db/ids.ts'
import { type AuditEventName, auditEvent } from '../../lib/storage/events/audit-event.ts'
import type { TriggerRecord } from '../../lib/storage/triggers/trigger-store.ts'
import { lastImports } from '../../lib/storage/triggers/watched-imports.ts'
import { creatorToken, wireDateText } from '../../lib/wire/fields.ts'
import { wireDate } from '../../lib/wire/wire-date.ts'
import { findTable } from '../find/find-table.ts'
import { refuseHoarding } from '../http/at-once.ts'
import { wholeSentence } from '../http/check-fields.ts'
import { integer, text, textList } from '../http/fields.ts'
import { telling } from '../http/record-event.ts'
import { requireTable } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'
import type { Caller, Services } from '../services/services.ts'
import {
  requireComponents,
  requireMasterFor,
  requireNoMoreRights,
  visibleTriggers,
} from './trigger-rights.ts'

export const routes = routesOf('triggers')

/** The trigger on the wire (docs/reference/storage-api.md#triggers). */
const triggerResource = (trigger: TriggerRecord) => ({
  id: String(trigger.id),
  runWithTokenId: trigger.runWithTokenId,
  component: trigger.component,
  configurationId: trigger.configurationId,
  lastRun: wireDate(trigger.lastRun),
  creatorToken: { id: Number(trigger.creatorToken.id), description: trigger.creatorToken.description },
  coolDownPeriodMinutes: trigger.coolDownPeriodMinutes,
  tables: trigger.tableIds.map(tableId => ({ tableId })),
})

const triggerBody = z
  .object({
    id: z.string(),
    runWithTokenId: z.int(),
    component: z.string(),
    configurationId: z.string(),
    lastRun: z.nullable(wireDateText),
    creatorToken,
    coolDownPeriodMinutes: z.int(),
    tables: z.array(z.object({ tableId: z.string() })),
  })
  .meta({ id: 'Trigger' })

routes.get('/v2/storage/triggers', {
  summary: 'List triggers',
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
    return found.map(triggerResource)
  },
})

routes.get('/v2/storage/triggers/{triggerId}', {
  summary: 'Trigger detail',
  replies: {
    200: 'The trigger',
    403: 'The token may not use the component',
    404: 'There is no such trigger',
  },
  reply: triggerBody,
  handle: async ({ params, caller }, services) => {
    const trigger = await findTrigger(services, params.triggerId)
    requireComponents(caller, [trigger.component])
    return triggerResource(trigger)
  },
})

routes.delete('/v2/storage/triggers/{triggerId}', {
  summary: 'Delete a trigger',
  replies: { 204: 'Deleted', 403: 'The token may not use the component', 404: 'There is no such trigger' },
  handle: async (request, services) => {
    const trigger = await findTrigger(services, request.params.triggerId)
    requireComponents(request.caller, [trigger.component])
    const told = telling(request, services, triggerEvent('triggerDeleted', trigger))
    if (!(await services.triggers.delete(trigger.id, told))) throw triggerNotFound(request.params.triggerId)
  },
})

const coolDown = () =>
  integer({ max: 525_600 }).superRefine((minutes, context) => {
    if (minutes < 1) context.addIssue(wholeSentence('Minimal cool down period is 1 minute'))
  })

/** A field that must be there. The sentence is the one that clients of the hosted service know. */
const given = <Schema extends z.ZodType>(name: string, schema: Schema) =>
  z.preprocess((value, context) => {
    if (value !== undefined) return value
    context.addIssue(wholeSentence(`Invalid parameters - ${name}: This field is missing.`))
    return z.NEVER
  }, schema)

/** Stores what to run when tables are imported. Only later imports count, and the first run waits for the cool-down. */
routes.post('/v2/storage/triggers', {
  summary: 'Create a trigger',
  body: z.object({
    runWithTokenId: given('runWithTokenId', integer({ min: 1 })),
    component: given('component', text({ min: 1, max: 255 })),
    configurationId: given('configurationId', text({ min: 1, max: 255 })),
    coolDownPeriodMinutes: z.preprocess(minutes => minutes ?? 0, coolDown()),
    tableIds: given(
      'tableIds',
      textList({ max: 1_000, itemMax: 400 }).refine(ids => ids.length > 0, {
        error: 'This value should name at least one table.',
      }),
    ),
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
    if (!caller.isMaster) refuseHoarding('triggers', await services.triggers.list(), caller)
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
      const told = telling(request, services, triggerEvent('triggerCreated', trigger))
      if (await services.triggers.insert(trigger, [...told, ...(await runsWith(trigger, services))]))
        return triggerResource(trigger)
    }
  },
})

/** That the token of its runs is there: it is not deleted while a trigger needs it. The master token has no record. */
const runsWith = async ({ runWithTokenId }: TriggerRecord, { tokens }: Services): Promise<ItemWrite[]> =>
  (await tokens.get(runWithTokenId)) ? [await tokens.touching(runWithTokenId)] : []

const settings = {
  runWithTokenId: integer({ min: 1 }).optional(),
  component: text({ min: 1, max: 255 }).optional(),
  configurationId: text({ min: 1, max: 255 }).optional(),
  coolDownPeriodMinutes: coolDown().optional(),
  tableIds: textList({ max: 1_000, itemMax: 400 }).optional(),
}

/** Replaces the given settings. Whoever sends them all answers for the trigger alone. */
routes.put('/v2/storage/triggers/{triggerId}', {
  summary: 'Update a trigger',
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
    const change = (current: TriggerRecord): TriggerRecord => ({
      ...current,
      runWithTokenId: body.runWithTokenId ?? current.runWithTokenId,
      component: body.component ?? current.component,
      configurationId: body.configurationId ?? current.configurationId,
      coolDownPeriodMinutes: body.coolDownPeriodMinutes ?? current.coolDownPeriodMinutes,
      tableIds: body.tableIds ?? current.tableIds,
      authors: isWhole ? [author] : distinctAuthors([...current.authors, author]),
      ...(current.answered && { answered: { ...imports, ...current.answered } }),
    })
    const trigger = await services.triggers.update(id, change, async changed => [
      ...telling(request, services, triggerEvent('triggerUpdated', changed)),
      ...(await runsWith(changed, services)),
    ])
    if (!trigger) throw triggerNotFound(params.triggerId)
    return triggerResource(trigger)
  },
})

type Checked = Partial<Pick<TriggerRecord, 'tableIds' | 'runWithTokenId'>>

/**
 * Checks that the token of a trigger lasts, that its tables are there, and that the caller may use both: in the order in which the public
 * PHP client expects the refusals.
 *
 * Errors: 404 `storage.tables.notFound`, `storage.tokens.notFound`, 400 `storage.triggers.tokenExpires`, 403
 * `accessDenied`.
 */
const checkTrigger = async (
  { tableIds = [], runWithTokenId }: Checked,
  caller: Caller,
  services: Services,
): Promise<void> => {
  // The master token has no record, and it never expires.
  const isMaster = String(runWithTokenId) === caller.masterId
  const token =
    runWithTokenId === undefined || isMaster ? undefined : await findLastingToken(runWithTokenId, services)
  for (const tableId of tableIds) {
    requireTable(caller, tableId, 'read')
    await findTable(services, tableId)
  }
  if (isMaster) requireMasterFor(caller)
  if (token) requireNoMoreRights(caller, token)
}

const findLastingToken = async (tokenId: number, { tokens }: Services) => {
  const token = await tokens.get(tokenId)
  if (!token) throw new UserError('storage.tokens.notFound', `Token with id "${tokenId}" was not found.`)
  if (token.expires !== null)
    throw new UserError(
      'storage.triggers.tokenExpires',
      "The 'runByToken' has expiration set. Use token without expiration.",
    )
  return token
}

/** The trigger of a path, or 404 `storage.triggers.notFound`. */
const findTrigger = async ({ triggers }: Services, triggerId: string): Promise<TriggerRecord> => {
  const trigger = await storedUnder(triggerId, triggers.get)
  if (!trigger) throw triggerNotFound(triggerId)
  return trigger
}

const triggerNotFound = (triggerId: string): UserError =>
  new UserError('storage.triggers.notFound', `Trigger ${triggerId.slice(0, 20)} not found`)

/** The event of a change of a trigger. */
const triggerEvent = (
  name: Extract<AuditEventName, `trigger${string}`>,
  { id, component, configurationId, runWithTokenId, coolDownPeriodMinutes, tableIds }: TriggerRecord,
) =>
  auditEvent(name, {
    id: String(id),
    words: { component },
    params: { component, configurationId, runWithTokenId, coolDownPeriodMinutes, tableIds },
  })
