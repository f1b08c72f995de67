import { z } from '@hono/zod-openapi'
import { addRow, findRow } from '../../lib/storage/configurations/change-rows.ts'
import { rowBody } from '../../lib/wire/configuration-body.ts'
import { changeBy, changeConfiguration } from '../configurations/change-configuration.ts'
import { rowEvent } from '../configurations/configuration-events.ts'
import { rowResource } from '../configurations/configuration-resource.ts'
import { entityId } from '../configurations/entity-id.ts'
import { findConfiguration } from '../configurations/find-configuration.ts'
import { jsonObject } from '../configurations/json-field.ts'
import { warnWhenWrapped } from '../configurations/judge-change.ts'
import { sealedSettings } from '../configurations/sealed-settings.ts'
import { flag, text } from '../http/fields.ts'
import { created } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'

/** Adds a row at the end. Creates a version of the configuration. */
export const createRow = defineRoute({
  method: 'post',
  path: '/v2/storage/components/{componentId}/configs/{configId}/rows',
  summary: 'Add a row to a configuration',
  tag: 'rows',
  body: z.object({
    rowId: entityId(),
    name: text({ max: 1000 }).default(''),
    description: text({ max: 20_000 }).default(''),
    configuration: jsonObject().optional(),
    state: jsonObject().optional(),
    isDisabled: flag().default(false),
    changeDescription: text({ max: 2000 }).optional(),
  }),
  validationCode: 'storage.components.validation',
  replies: {
    201: 'The row',
    400: '`configurationRowAlreadyExists`, `validation.invalidConfigurationFormat`, `validation.invalidStateFormat`',
    404: 'There is no such configuration',
  },
  reply: rowBody,
  handle: async (request, services) => {
    const { body } = request
    await findConfiguration(request, services)
    const rowId = body.rowId || String(services.nextId())
    const settings = await sealedSettings(body, request, services)
    const changed = changeBy(request, services, body.changeDescription ?? `Row ${rowId} added`)
    const configuration = await changeConfiguration(
      request,
      services,
      current => addRow(current, rowId, settings, changed),
      {
        audit: stored =>
          rowEvent('componentConfigurationRowCreated', request, stored, findRow(stored, rowId)),
      },
    )
    await warnWhenWrapped(request, services, settings.configuration)
    return created(rowResource(findRow(configuration, rowId), configuration))
  },
})
