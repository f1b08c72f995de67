import { z } from '@hono/zod-openapi'
import { findRow, deleteRow as remove } from '../../lib/storage/configurations/change-rows.ts'
import { changeBy, changeConfiguration } from '../configurations/change-configuration.ts'
import { rowEvent } from '../configurations/configuration-events.ts'
import { text } from '../http/fields.ts'
import { noContent } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'

/** Removes a row. A rollback of the configuration restores it. */
export const deleteRow = defineRoute({
  method: 'delete',
  path: '/v2/storage/components/{componentId}/configs/{configId}/rows/{rowId}',
  summary: 'Delete a row',
  tag: 'rows',
  body: z.object({ changeDescription: text({ max: 2000 }).optional() }),
  validationCode: 'storage.components.validation',
  replies: { 204: 'Deleted', 404: 'There is no such configuration or row' },
  handle: async (request, services) => {
    const { body, params } = request
    const changed = changeBy(request, services, body.changeDescription ?? `Row ${params.rowId} deleted`)
    await changeConfiguration(request, services, current => remove(current, params.rowId, changed), {
      audit: (stored, before) =>
        rowEvent('componentConfigurationRowDeleted', request, stored, findRow(before, params.rowId)),
    })
    return noContent()
  },
})
