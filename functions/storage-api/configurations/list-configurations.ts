import { z } from '@hono/zod-openapi'
import { configurationBody } from '../../lib/wire/configuration-body.ts'
import { flag, integer, text } from '../http/fields.ts'
import { page } from '../http/page.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { configurationResource } from './configuration-resource.ts'
import { findComponent } from './find-configuration.ts'

/**
 * The configurations of a component, complete. With `isDeleted=1` those in the trash.
 *
 * With `hasSchedule=1` those that have a schedule of their own: none in a development branch, where none runs.
 *
 * All of them unless `limit` says how many, after `offset`; `sinceId` takes those that come after an id.
 */
export const listConfigurations = defineRoute({
  method: 'get',
  path: '/v2/storage/components/{componentId}/configs',
  summary: 'List the configurations of a component',
  tag: 'configurations',
  query: z.object({
    isDeleted: flag().default(false),
    hasSchedule: flag().default(false),
    limit: integer({ min: 1 }).optional(),
    offset: integer().default(0),
    sinceId: text({ min: 1 }).optional(),
  }),
  replies: { 200: 'The configurations, in the order of their ids', 404: 'There is no such component' },
  reply: z.array(configurationBody),
  handle: async ({ params, query, branchId }, services) => {
    const { id } = findComponent(services, params.componentId)
    const { configurations } = services
    const { hasSchedule, sinceId } = query
    const all = hasSchedule
      ? configurations.scanScheduled(branchId, id, sinceId)
      : configurations.scan(branchId, id, { after: sinceId })
    const shown = await page(all, {
      limit: query.limit ?? Number.POSITIVE_INFINITY,
      offset: query.offset,
      isListed: ({ current }) => current.content.isDeleted === query.isDeleted,
      show: configurationResource,
    })
    return ok(shown)
  },
})
