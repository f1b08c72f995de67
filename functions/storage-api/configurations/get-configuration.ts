import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { configurationBody, configurationResource } from './configuration-resource.ts'
import { findConfiguration } from './find-configuration.ts'
import { withVersionTag } from './version-tag.ts'

/** One configuration, whole, as it is now. Its `ETag` is the version. */
export const getConfiguration = defineRoute({
  method: 'get',
  path: '/v2/storage/components/{componentId}/configs/{configId}',
  summary: 'Configuration detail',
  tag: 'configurations',
  replies: { 200: 'The configuration', 404: 'There is no such configuration' },
  reply: configurationBody,
  handle: async (request, services) => {
    const configuration = await findConfiguration(request, services)
    return withVersionTag(ok(configurationResource(configuration)), configuration)
  },
})
