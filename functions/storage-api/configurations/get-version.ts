import { versionBody } from '../../lib/wire/configuration-body.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { versionResource } from './configuration-resource.ts'
import { findConfiguration } from './find-configuration.ts'
import { findVersion } from './find-version.ts'

/** One version with its content. States belong to no version. */
export const getVersion = defineRoute({
  method: 'get',
  path: '/v2/storage/components/{componentId}/configs/{configId}/versions/{versionId}',
  summary: 'Version detail',
  tag: 'configurations',
  replies: { 200: 'The version', 404: 'There is no such configuration or version' },
  reply: versionBody,
  handle: async (request, services) => {
    const configuration = await findConfiguration(request, services)
    return ok(versionResource(await findVersion(services, configuration, request.params.versionId)))
  },
})
