import { z } from '@hono/zod-openapi'
import { restoreConfiguration as restore } from '../../lib/storage/configurations/change-configuration.ts'
import { configurationBody } from '../../lib/wire/configuration-body.ts'
import { text } from '../http/fields.ts'
import { created } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { changeBy, changeConfiguration } from './change-configuration.ts'
import { configurationEvent } from './configuration-events.ts'
import { configurationResource } from './configuration-resource.ts'

/** Takes a configuration out of the trash. */
export const restoreConfiguration = defineRoute({
  method: 'post',
  path: '/v2/storage/components/{componentId}/configs/{configId}/restore',
  summary: 'Restore a configuration from the trash',
  tag: 'configurations',
  body: z.object({ changeDescription: text({ max: 2000 }).default('Configuration restored') }),
  validationCode: 'storage.components.validation',
  replies: { 201: 'The configuration', 404: 'There is no such configuration in the trash' },
  reply: configurationBody,
  handle: async (request, services) => {
    const changed = changeBy(request, services, request.body.changeDescription)
    const configuration = await changeConfiguration(request, services, trashed => restore(trashed, changed), {
      audit: stored => configurationEvent('componentConfigurationRestored', request, stored),
      inTrash: true,
    })
    return created(configurationResource(configuration))
  },
})
