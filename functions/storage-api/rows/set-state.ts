import { findRow, setRowState as setState } from '../../lib/storage/configurations/change-rows.ts'
import { rowBody } from '../../lib/wire/configuration-body.ts'
import { changeConfiguration } from '../configurations/change-configuration.ts'
import { rowEvent } from '../configurations/configuration-events.ts'
import { rowResource } from '../configurations/configuration-resource.ts'
import { findConfiguration } from '../configurations/find-configuration.ts'
import { sealedState, stateBody } from '../configurations/state-body.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'

/** Sets the state of a row. Creates no version. */
export const setRowState = defineRoute({
  method: 'put',
  path: '/v2/storage/components/{componentId}/configs/{configId}/rows/{rowId}/state',
  summary: 'Set the state of a row',
  tag: 'rows',
  body: stateBody,
  replies: {
    200: 'The row',
    400: '`storage.components.validation`',
    404: 'There is no such configuration or row',
  },
  reply: rowBody,
  handle: async (request, services) => {
    const { rowId } = request.params
    findRow(await findConfiguration(request, services), rowId)
    const state = await sealedState(request.body, request, services)
    const configuration = await changeConfiguration(
      request,
      services,
      current => setState(current, rowId, state),
      {
        audit: stored =>
          rowEvent('componentConfigurationRowStateChanged', request, stored, findRow(stored, rowId)),
      },
    )
    return ok(rowResource(findRow(configuration, rowId), configuration))
  },
})
