import { z } from '@hono/zod-openapi'
import { findRow, takeRow, updateRow as update } from '../../lib/storage/configurations/change-rows.ts'
import { rowBody } from '../../lib/wire/configuration-body.ts'
import { changeBy, changeConfiguration } from '../configurations/change-configuration.ts'
import { rowEvent } from '../configurations/configuration-events.ts'
import { rowResource } from '../configurations/configuration-resource.ts'
import { findConfiguration } from '../configurations/find-configuration.ts'
import { jsonObject } from '../configurations/json-field.ts'
import { warnWhenWrapped } from '../configurations/judge-change.ts'
import { refuseStateInBranch } from '../configurations/refuse-in-branch.ts'
import { sealedSettings } from '../configurations/sealed-settings.ts'
import { flag, text } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'

/** Replaces the given parts. Unchanged values create no version, neither of the row nor of its configuration. */
export const updateRow = defineRoute({
  method: 'put',
  path: '/v2/storage/components/{componentId}/configs/{configId}/rows/{rowId}',
  summary: 'Update a row',
  tag: 'rows',
  body: z.object({
    name: text({ max: 1000 }).optional(),
    description: text({ max: 20_000 }).optional(),
    configuration: jsonObject().optional(),
    state: jsonObject().optional(),
    isDisabled: flag().optional(),
    changeDescription: text({ max: 2000 }).optional(),
  }),
  validationCode: 'storage.components.validation',
  replies: {
    200: 'The row',
    400: '`validation.invalidConfigurationFormat`, `validation.invalidStateFormat`',
    404: 'There is no such configuration or row',
    409: 'Other writers came first for too long: send it again',
    412: 'The version of the configuration is none of those that `If-Match` names',
  },
  reply: rowBody,
  handle: async (request, services) => {
    const { body, params } = request
    findRow(await findConfiguration(request, services), params.rowId)
    refuseStateInBranch(request.branchId, body.state, 'configuration row')
    const settings = await sealedSettings(body, request, services)
    const changed = changeBy(request, services, body.changeDescription ?? `Row ${params.rowId} changed`)
    const configuration = await changeConfiguration(
      request,
      services,
      current => update(current, params.rowId, settings, changed),
      {
        audit: stored =>
          rowEvent('componentConfigurationRowChanged', request, stored, findRow(stored, params.rowId)),
        take: (current, taken) => takeRow(current, params.rowId, settings, taken),
      },
    )
    await warnWhenWrapped(request, services, settings.configuration)
    return ok(rowResource(findRow(configuration, params.rowId), configuration))
  },
})
