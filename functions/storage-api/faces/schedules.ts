import pMap from 'p-map'
import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { authorsOf } from '../../lib/storage/configurations/configuration.ts'
import { storedUnder } from '../../lib/storage/db/ids.ts'
import {
  isActivated,
  SCHEDULER,
  type ScheduleRecord,
  triggerOf,
} from '../../lib/storage/schedules/schedule-store.ts'
import { mayUseComponent } from '../../lib/storage/tokens/rights.ts'
import { type ScheduleBody, scheduleBody } from '../../lib/wire/schedule-body.ts'
import { wireDate, wireDateOrNull } from '../../lib/wire/wire-date.ts'
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

const LOOKS_AT_ONCE = 8
const NEXT_TIMES = 5
const EXECUTIONS_SHOWN = 10
/** Of the runs of the target. */
const RUNS_LOOKED_AT = 50

const scheduleResource = async (record: ScheduleRecord, { jobs, now }: Services): Promise<ScheduleBody> => {
  const { saidBy, settings, since, version, runWithTokenId, component, targetId } = record
  const { readConfigurationSchedule } = await import('../../lib/schedules/configuration-schedule.ts')
  const said = orNothing(() =>
    readConfigurationSchedule(JSON.parse(settings), `${saidBy.componentId}/${saidBy.configId}`),
  )
  const active = said?.isEnabled ? said : undefined
  return {
    id: String(record.id),
    tokenId: String(runWithTokenId),
    configurationId: saidBy.configId,
    configurationVersionId: String(version),
    schedule: {
      cronTab: said?.expression ?? settings,
      timezone: said?.timezone ?? 'UTC',
      state: said === undefined ? 'invalid' : said.isEnabled ? 'enabled' : 'disabled',
    },
    target: { componentId: component, configurationId: targetId, mode: 'run' },
    executions: await executionsOf(record, jobs),
    nextTimes: (active?.nextDue(now(), NEXT_TIMES) ?? []).map(time => wireDate(time.toISOString())),
    lastTime: wireDateOrNull(active?.lastDue(new Date(since), now())?.toISOString() ?? null),
  }
}

/** The newest runs that it started, oldest first. */
const executionsOf = async (
  record: ScheduleRecord,
  jobs: Pick<Services['jobs'], 'listRuns'>,
): Promise<ScheduleBody['executions']> => {
  const found: ScheduleBody['executions'] = []
  let seen = 0
  for await (const run of jobs.listRuns({ componentId: record.component, configId: record.targetId })) {
    if (run.input.trigger?.startsWith(`${triggerOf(record)}, `))
      found.push({ jobId: String(run.id), executionTime: wireDate(run.createdTime) })
    if (found.length === EXECUTIONS_SHOWN || ++seen === RUNS_LOOKED_AT) break
  }
  return found.toReversed()
}

/** What can be read. */
const orNothing = <Read>(read: () => Read): Read | undefined => {
  try {
    return read()
  } catch (error) {
    if (error instanceof UserError) return undefined
    throw error
  }
}

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
    const { readConfigurationSchedule } = await import('../../lib/schedules/configuration-schedule.ts')
    const { cronTab: expression, timezone, state } = schedule
    const said = { expression, timezone, overlap: 'wait', isEnabled: state === 'enabled' }
    readConfigurationSchedule(said, '')
    requireComponents(caller, [SCHEDULER, target.componentId])
    const activated = {
      saidBy: { componentId: SCHEDULER, configId: body.configurationId },
      version: current.version,
      settings: JSON.stringify(said),
      component: target.componentId,
      targetId: target.configurationId,
      runWithTokenId: Number(caller.tokenId),
      tokenIds: authorsOf({ current }).map(({ id }) => id),
      since: services.now().toISOString(),
    }
    const warnings = said.isEnabled ? await warningsOf(activated, branchId, services) : {}
    for (const id = Number(internalId); ; ) {
      const fresh = { ...activated, id, revision: 1 }
      if (await services.schedules.insert(fresh))
        return { ...(await scheduleResource(fresh, services)), ...warnings }
      const changed = await services.schedules.update(id, before => {
        requireOwn(caller, before)
        return { ...before, ...activated }
      })
      if (changed) return { ...(await scheduleResource(changed, services)), ...warnings }
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
    200: 'The schedules of components that the token may use, activated or by a key `schedule`; the parameters name their target',
  },
  reply: z.array(scheduleBody),
  handle: async ({ query, caller }, services) => {
    const found = (await services.schedules.list()).filter(
      ({ component, targetId }) =>
        mayUseComponent(caller, component) &&
        component === (query.componentId ?? component) &&
        targetId === (query.configurationId ?? targetId),
    )
    return pMap(found, one => scheduleResource(one, services), { concurrency: LOOKS_AT_ONCE })
  },
})

routes.get('/scheduler/schedules/{scheduleId}', {
  summary: 'Schedule detail',
  replies: { 200: 'The schedule', 403: 'The token may not use the component', 404: 'There is none' },
  reply: scheduleBody,
  handle: async ({ params, caller }, services) =>
    scheduleResource(await findSchedule(params.scheduleId, caller, services), services),
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
      const { id, component, saidBy } = schedule
      if (!isActivated(schedule) || saidBy.configId !== params.configurationId) continue
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
    return scheduleResource(changed, services)
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
  if (isActivated(schedule)) return schedule
  throw invalid(`the configuration ${schedule.targetId} says it by its key "schedule": change it there`)
}

const scheduleNotFound = (id: string) => notFound(`Schedule ${id.slice(0, 20)} not found`)

const invalid = (what: string) => new UserError('schedule.invalid', `The schedule is not valid: ${what}`)
