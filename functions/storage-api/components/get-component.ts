import { componentBody } from '../../lib/wire/component-body.ts'
import { findComponent } from '../configurations/find-configuration.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { componentResource } from './component.ts'

/** One component of the catalogue, for any caller. */
export const getComponent = defineRoute({
  method: 'get',
  path: '/v2/storage/components/{componentId}',
  summary: 'Component detail',
  tag: 'components',
  isPublic: true,
  replies: { 200: 'The component', 404: 'There is no such component' },
  reply: componentBody,
  handle: async ({ params, baseUrl }, services) =>
    ok(componentResource(findComponent(services, params.componentId), baseUrl)),
})
