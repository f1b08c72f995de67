import { z } from '@hono/zod-openapi'
import { findRow, updateRow as update } from '../../lib/storage/configurations/change-rows.ts'
import { type Configuration, rowMemory } from '../../lib/storage/configurations/configuration.ts'
import { rowBody } from '../../lib/wire/configuration-body.ts'
import { changeBy, changeConfiguration } from '../configurations/change-configuration.ts'
import { rowEvent } from '../configurations/configuration-events.ts'
import { rowResource } from '../configurations/configuration-resource.ts'
import { findConfiguration } from '../configurations/find-configuration.ts'
import { patchFields, readPatch } from '../configurations/patch-body.ts'
import { text } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'

/**
 * Changes parts of a row by a JSON merge patch (RFC 7396), like `PATCH` of a configuration. Our addition to the API.
 */
export const patchRow = defineRoute({
  method: 'patch',
  path: '/v2/storage/components/{componentId}/configs/{configId}/rows/{rowId}',
  summary: 'Change parts of a row (JSON merge patch)',
  tag: 'rows',
  body: z.object({ ...patchFields, changeDescription: text({ max: 2000 }).optional() }),
  keepsNull: true,
  validationCode: 'storage.components.validation',
  replies: {
    200: 'The row',
    404: 'There is no such configuration or row',
    409: 'Other writers came first for too long: send it again',
    412: 'The version of the configuration is none of those that `If-Match` names',
  },
  reply: rowBody,
  handle: async (request, services) => {
    const { body, params } = request
    findRow(await findConfiguration(request, services), params.rowId)
    const patch = await readPatch(body, request, services)
    const changed = changeBy(request, services, body.changeDescription ?? `Row ${params.rowId} changed`)
    const step = (current: Configuration) => {
      const { configuration, authors } = findRow(current, params.rowId)
      const { state } = rowMemory(current, params.rowId)
      return update(current, params.rowId, patch({ configuration, authors, state }), changed)
    }
    const configuration = await changeConfiguration(request, services, step, {
      audit: stored =>
        rowEvent('componentConfigurationRowChanged', request, stored, findRow(stored, params.rowId)),
    })
    return ok(rowResource(findRow(configuration, params.rowId), configuration))
  },
})
