import { rowVersionBody } from '../../lib/wire/configuration-body.ts'
import { rowVersionResource } from '../configurations/configuration-resource.ts'
import { findConfiguration } from '../configurations/find-configuration.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { findRowVersion } from './row-versions.ts'

export const getRowVersion = defineRoute({
  method: 'get',
  path: '/v2/storage/components/{componentId}/configs/{configId}/rows/{rowId}/versions/{versionId}',
  summary: 'Version detail of a row',
  tag: 'rows',
  replies: { 200: 'The version of the row, without a state', 404: 'There is no such row or version' },
  reply: rowVersionBody,
  handle: async (request, services) => {
    const { rowId, versionId } = request.params
    const configuration = await findConfiguration(request, services)
    return ok(rowVersionResource(await findRowVersion(services, configuration, rowId, versionId)))
  },
})
