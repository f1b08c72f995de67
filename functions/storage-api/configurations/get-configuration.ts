import { adoptedSecretsOf } from '../../lib/storage/configurations/adopted-secrets.ts'
import { configurationBody } from '../../lib/wire/configuration-body.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { configurationResource, withVersionTag } from './configuration-resource.ts'
import { findConfiguration } from './find-configuration.ts'
import { ownerAt } from './sealed-settings.ts'

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
    const owner = ownerAt(request.params, services)
    const { adopted } = await adoptedSecretsOf({ configuration, owner })
    const resource = {
      ...configurationResource(configuration),
      ...(adopted.length > 0 && { adoptedSecrets: adopted }),
    }
    return withVersionTag(ok(resource), configuration)
  },
})
