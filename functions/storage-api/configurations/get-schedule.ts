import { z } from '@hono/zod-openapi'
import { defaultBranchId } from '../../lib/storage/branches/branch-store.ts'
import { wireDate } from '../../lib/storage/wire-date.ts'
import { scheduleBody } from '../../lib/wire/configuration-body.ts'
import { integer } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { findConfiguration } from './find-configuration.ts'

/** The schedule of a configuration with its defaults, and when it is due next. */
export const getSchedule = defineRoute({
  method: 'get',
  path: '/v2/storage/components/{componentId}/configs/{configId}/schedule',
  summary: 'Schedule of a configuration',
  tag: 'configurations',
  query: z.object({ count: integer({ min: 1, max: 100 }).default(5) }),
  replies: {
    200: 'The schedule; `expression` is null without one',
    400: '`schedule.invalid`',
    404: 'There is no such configuration',
  },
  reply: scheduleBody,
  handle: async (request, services) => {
    const { params, query, branchId } = request
    const { current, disarmed } = await findConfiguration(request, services)
    const { schedule: given } = JSON.parse(current.content.configuration) as { schedule?: unknown } // only objects are stored
    const schedules = await import('../../lib/schedules/configuration-schedule.ts')
    const settings = schedules.readScheduleSettings(given)
    const spread = schedules.spreadOf(schedules.scheduleIdOf(params.componentId, params.configId))
    const schedule = schedules.readConfigurationSchedule(given, spread)
    const isActive =
      schedule !== undefined && !current.content.isDisabled && !disarmed && branchId === defaultBranchId
    return ok({
      expression: settings?.expression ?? null,
      timezone: settings?.timezone ?? null,
      flexibleMinutes: settings?.flexibleMinutes ?? null,
      overlap: settings?.overlap ?? null,
      isActive,
      nextTimes: isActive
        ? schedule.nextDue(services.now(), query.count).map(time => wireDate(time.toISOString()))
        : [],
    })
  },
})
