import { z } from '@hono/zod-openapi'
import { rowsInOrder } from '../../lib/storage/configurations/configuration.ts'
import { rowBody } from '../../lib/wire/configuration-body.ts'
import { rowResource } from '../configurations/configuration-resource.ts'
import { findConfiguration } from '../configurations/find-configuration.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'

export const listRows = defineRoute({
  method: 'get',
  path: '/v2/storage/components/{componentId}/configs/{configId}/rows',
  summary: 'List the rows of a configuration',
  tag: 'rows',
  replies: { 200: 'The rows in their order', 404: 'There is no such configuration' },
  reply: z.array(rowBody),
  handle: async (request, services) => {
    const configuration = await findConfiguration(request, services)
    return ok(rowsInOrder(configuration.current.content).map(row => rowResource(row, configuration)))
  },
})
