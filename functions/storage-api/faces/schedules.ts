import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { authorsOf } from '../../lib/storage/configurations/configuration.ts'
import { storedUnder } from '../../lib/storage/db/ids.ts'
import { SCHEDULER, type ScheduleRecord } from '../../lib/storage/schedules/schedule-store.ts'
import { mayUseComponent } from '../../lib/storage/tokens/rights.ts'
import { warnedFields } from '../../lib/wire/configuration-body.ts'
import { wireDate } from '../../lib/wire/wire-date.ts'
import { warned } from '../configurations/configuration-resource.ts'
import { judgeChange } from '../configurations/judge-change.ts'
import { findConfiguration, notFound } from '../find/find-configuration.ts'
import { text } from '../http/fields.ts'
import { accessDenied } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'
import type { Caller, Services } from '../services/services.ts'
import { requireComponents } from '../triggers/trigger-rights.ts'

export const routes = routesOf('scheduler')

/** What a configuration of the scheduler says. What would make another run than the one asked for is refused. */
const settings = z.object({
  schedule: z.object({
    cronTab: z.string(),
    timezone: z.string().default('UTC'),
    state: z.enum(['enabled', 'disabled']).default('enabled'),
  }),
  target: z.object({
    componentId: z.string(),
    configurationId: z.string(),
    mode: z.literal('run').default('run'),
    configurationRowIds: z.array(z.never()).optional(),
    variableValuesId: z.null().optional(),
    variableValuesData: z.union([z.null(), z.object({ values: z.array(z.never()) })]).optional(),
  }),
})

const scheduleResource = (record: ScheduleRecord) => ({
  id: String(record.id),
  tokenId: String(record.runWithTokenId),
  configurationId: record.configurationId,
  configurationVersionId: String(record.version),
  schedule: {
    cronTab: record.cronTab,
    timezone: record.timezone,
    state: record.isEnabled ? 'enabled' : 'disabled',
  },
  target: { componentId: record.component, configurationId: record.targetId, mode: record.mode },
  executions: record.executions.map(({ jobId, executionTime }) => ({
    jobId,
    executionTime: wireDate(executionTime),
  })),
})

const scheduleBody = z
  .object({
    id: z.string(),
    tokenId: z.string(),
    configurationId: z.string(),
    configurationVersionId: z.string(),
    schedule: z.object({ cronTab: z.string(), timezone: z.string(), state: z.string() }),
    target: z.object({ componentId: z.string(), configurationId: z.string(), mode: z.string() }),
    executions: z.array(z.object({ jobId: z.string(), executionTime: z.string() })),
    ...warnedFields,
  })
  .meta({ id: 'Schedule' })

/**
 * Makes the present version of a configuration of the scheduler count, in place of the one that counted before. Its runs may do what the
 * caller may and all that stored it. Only later moments are due.
 */
routes.post('/scheduler/schedules', {
  summary: 'Activate a schedule',
  body: z.object({
    configurationId: text({ min: 1, max: 255 }),
    configurationVersionId: text({ max: 20 }).optional(),
  }),
  replies: {
    201: 'The schedule',
    400: '`schedule.invalid`',
    403: 'The token may not use the component',
    404: 'There is no such configuration of the scheduler',
  },
  reply: scheduleBody,
  handle: async ({ body, caller, branchId }, services) => {
    const place = { params: { componentId: SCHEDULER, configId: body.configurationId }, branchId }
    const { internalId, current } = await findConfiguration(place, services)
    const asked = body.configurationVersionId || String(current.version)
    if (asked !== String(current.version))
      throw invalid(`version ${asked} is not the present one, ${current.version}, which alone is activated`)
    const parsed = settings.safeParse(JSON.parse(current.content.configuration))
    if (!parsed.success) throw invalid(z.prettifyError(parsed.error))
    const { schedule, target } = parsed.data
    const { readCronTab } = await import('../../lib/schedules/schedule-expression.ts')
    readCronTab(schedule.cronTab, schedule.timezone)
    requireComponents(caller, [SCHEDULER, target.componentId])
    const activated = {
      configurationId: body.configurationId,
      version: current.version,
      cronTab: schedule.cronTab,
      timezone: schedule.timezone,
      isEnabled: schedule.state === 'enabled',
      component: target.componentId,
      targetId: target.configurationId,
      mode: target.mode,
      runWithTokenId: Number(caller.tokenId),
      tokenIds: authorsOf({ current }).map(({ id }) => id),
      lastRun: services.now().toISOString(),
    }
    const warnings = activated.isEnabled ? await warningsOf(activated, branchId, services) : {}
    for (const id = Number(internalId); ; ) {
      const fresh = { ...activated, id, executions: [], revision: 1 }
      if (await services.schedules.insert(fresh)) return { ...scheduleResource(fresh), ...warnings }
      const changed = await services.schedules.update(id, before => {
        requireOwn(caller, before)
        return { ...before, ...activated }
      })
      if (changed) return { ...scheduleResource(changed), ...warnings }
    }
  },
})

/** Of a target that cannot run. */
const warningsOf = async (
  { component: componentId, targetId: configId }: Pick<ScheduleRecord, 'component' | 'targetId'>,
  branchId: number,
  services: Services,
) => {
  const component = services.components.get(componentId)
  const target = await services.configurations.get({ branchId, componentId, configId })
  if (!component || !target) return {}
  return warned(await judgeChange({ component, next: target.current.content, isTimed: true }, 'returns'))
}

routes.get('/scheduler/schedules', {
  summary: 'List schedules',
  query: z.object({
    componentId: text().optional(),
    configurationId: text().optional(),
  }),
  replies: {
    200: 'The active schedules of components that the token may use; the parameters name their target',
  },
  reply: z.array(scheduleBody),
  handle: async ({ query, caller }, { schedules }) => {
    const found = (await schedules.list()).filter(
      ({ component, targetId }) =>
        mayUseComponent(caller, component) &&
        component === (query.componentId ?? component) &&
        targetId === (query.configurationId ?? targetId),
    )
    return found.map(scheduleResource)
  },
})

routes.get('/scheduler/schedules/{scheduleId}', {
  summary: 'Schedule detail',
  replies: { 200: 'The schedule', 403: 'The token may not use the component', 404: 'There is none' },
  reply: scheduleBody,
  handle: async ({ params, caller }, services) =>
    scheduleResource(await findSchedule(params.scheduleId, caller, services)),
})

routes.delete('/scheduler/schedules/{scheduleId}', {
  summary: 'Deactivate a schedule',
  replies: { 204: 'Deactivated', 403: 'The token may not use the component', 404: 'There is none' },
  handle: async ({ params, caller }, services) => {
    const { id } = await findOwnSchedule(params.scheduleId, caller, services)
    await services.schedules.delete(id)
  },
})

/** Also when the configuration is gone, or was never activated. */
routes.delete('/scheduler/configurations/{configurationId}', {
  summary: 'Deactivate the schedule of a configuration',
  replies: { 204: 'No schedule of it is active', 403: 'The token may not use the component' },
  handle: async ({ params, caller }, { schedules }) => {
    for (const schedule of await schedules.list()) {
      const { id, component, configurationId } = schedule
      if (configurationId !== params.configurationId) continue
      requireComponents(caller, [component])
      requireOwn(caller, schedule)
      await schedules.delete(id)
    }
  },
})

/** From now on its runs have the rights of the caller. */
routes.post('/scheduler/schedules/{scheduleId}/refreshToken', {
  summary: 'Let a schedule run with the token of the caller',
  replies: { 200: 'The schedule', 403: 'The token may not use the component', 404: 'There is none' },
  reply: scheduleBody,
  handle: async ({ params, caller }, services) => {
    const { id } = await findOwnSchedule(params.scheduleId, caller, services)
    const runWithTokenId = Number(caller.tokenId)
    const changed = await services.schedules.update(id, before => ({ ...before, runWithTokenId }))
    if (!changed) throw scheduleNotFound(params.scheduleId)
    return scheduleResource(changed)
  },
})

/** Whose runs they are, who stored what they run by, and who manages all buckets: others would stop them, or take rights from them. */
const requireOwn = (
  { canManageBuckets, tokenId }: Caller,
  { runWithTokenId, tokenIds }: ScheduleRecord,
): void => {
  if (!canManageBuckets && ![String(runWithTokenId), ...tokenIds].includes(tokenId)) throw accessDenied()
}

const findSchedule = async (
  scheduleId: string,
  caller: Caller,
  { schedules }: Services,
): Promise<ScheduleRecord> => {
  const schedule = await storedUnder(scheduleId, schedules.get)
  if (!schedule) throw scheduleNotFound(scheduleId)
  requireComponents(caller, [schedule.component])
  return schedule
}

const findOwnSchedule: typeof findSchedule = async (scheduleId, caller, services) => {
  const schedule = await findSchedule(scheduleId, caller, services)
  requireOwn(caller, schedule)
  return schedule
}

const scheduleNotFound = (id: string) => notFound(`Schedule ${id.slice(0, 20)} not found`)

const invalid = (what: string) => new UserError('schedule.invalid', `The schedule is not valid: ${what}`)
