import { findRow } from '../../lib/storage/configurations/change-rows.ts'
import { rowBody } from '../../lib/wire/configuration-body.ts'
import { rowResource } from '../configurations/configuration-resource.ts'
import { findConfiguration } from '../configurations/find-configuration.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'

export const getRow = defineRoute({
  method: 'get',
  path: '/v2/storage/components/{componentId}/configs/{configId}/rows/{rowId}',
  summary: 'Row detail',
  tag: 'rows',
  replies: { 200: 'The row', 404: 'There is no such configuration or row' },
  reply: rowBody,
  handle: async (request, services) => {
    const configuration = await findConfiguration(request, services)
    return ok(rowResource(findRow(configuration, request.params.rowId), configuration))
  },
})
