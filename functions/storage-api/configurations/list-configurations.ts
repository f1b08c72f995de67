import { z } from '@hono/zod-openapi'
import { flag } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { configurationBody, configurationResource } from './configuration-resource.ts'
import { findComponent } from './find-configuration.ts'

/** The configurations of a component, complete. With `isDeleted=1` those in the trash. */
export const listConfigurations = defineRoute({
  method: 'get',
  path: '/v2/storage/components/{componentId}/configs',
  summary: 'List the configurations of a component',
  tag: 'configurations',
  query: z.object({ isDeleted: flag().default(false) }),
  replies: { 200: 'The configurations, in the order of their ids', 404: 'There is no such component' },
  reply: z.array(configurationBody),
  handle: async ({ params, query, branchId }, services) => {
    const { id } = findComponent(services, params.componentId)
    const all = await services.configurations.list(branchId, id)
    const shown = all.filter(({ current }) => current.content.isDeleted === query.isDeleted)
    return ok(shown.map(configurationResource))
  },
})
