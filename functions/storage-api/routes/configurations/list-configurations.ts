import { z } from '@hono/zod-openapi'
import { configurationBody, configurationResource } from '../../configurations/configuration-resource.ts'
import { findComponent } from '../../configurations/find-configuration.ts'
import { flag } from '../../wire/fields.ts'
import { ok } from '../../wire/reply.ts'
import { defineRoute } from '../../wire/route.ts'

/** The configurations of a component, whole; with `isDeleted=1` those in the trash. */
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
