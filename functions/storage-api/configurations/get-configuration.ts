import { configurationBody } from '../../lib/wire/configuration-body.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { configurationResource, withVersionTag } from './configuration-resource.ts'
import { findConfiguration } from './find-configuration.ts'

/** One current configuration, complete. Its `ETag` is the version. */
export const getConfiguration = defineRoute({
  method: 'get',
  path: '/v2/storage/components/{componentId}/configs/{configId}',
  summary: 'Configuration detail',
  tag: 'configurations',
  replies: { 200: 'The configuration', 404: 'There is no such configuration' },
  reply: configurationBody,
  handle: async (request, services) => {
    const configuration = await findConfiguration(request, services)
    const { adoptedSecrets } = configuration
    const resource = {
      ...configurationResource(configuration),
      ...(adoptedSecrets.length > 0 && { adoptedSecrets }),
    }
    return withVersionTag(ok(resource), configuration)
  },
})
