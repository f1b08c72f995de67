import { z } from '@hono/zod-openapi'
import { adoptSecrets, secretsToAdopt } from '../../lib/storage/configurations/adopted-secrets.ts'
import { addRow } from '../../lib/storage/configurations/change-rows.ts'
import { rowBody } from '../../lib/wire/configuration-body.ts'
import { changeBy } from '../configurations/change-configuration.ts'
import { rowFacts } from '../configurations/configuration-events.ts'
import { jsonObject } from '../configurations/json-field.ts'
import { warnWhenWrapped } from '../configurations/judge-change.ts'
import { ownerAt, sealedSettings } from '../configurations/sealed-settings.ts'
import { entityId } from '../find/entity-id.ts'
import { findConfiguration } from '../find/find-configuration.ts'
import { flag, text } from '../http/fields.ts'
import { routesOf } from '../http/route.ts'
import { findRowVersion } from './read-rows.ts'
import { storeRow } from './store-row.ts'

export const routes = routesOf('rows')

const path = '/v2/storage/components/{componentId}/configs/{configId}/rows/{rowId}'

/** Adds a row at the end. Creates a version of the configuration. */
routes.post('/v2/storage/components/{componentId}/configs/{configId}/rows', {
  summary: 'Add a row to a configuration',
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
    const row = await storeRow(request, services, rowId, {
      event: 'componentConfigurationRowCreated',
      step: current => addRow(current, rowId, settings, changed),
    })
    await warnWhenWrapped(request, services, settings.configuration)
    return row
  },
})

/** Adds a row with the content of a version, to the same configuration or another one of the component. */
routes.post(`${path}/versions/{versionId}/create`, {
  summary: 'Create a row from a version',
  body: z.object({
    targetConfigId: text({ max: 200 }).optional(),
    changeDescription: text({ max: 2000 }).optional(),
  }),
  validationCode: 'storage.components.validation',
  replies: { 201: 'The new row', 404: 'There is no such row or version, or no such target' },
  reply: rowBody,
  handle: async (request, services) => {
    const { body, params } = request
    const source = await findConfiguration(request, services)
    const row = await findRowVersion(services, source, params.rowId, params.versionId)
    const target = { ...request, params: { ...params, configId: body.targetConfigId || params.configId } }
    const rowId = String(services.nextId())
    const origin = `configuration "${source.current.content.name}" (${source.id}) row ${row.id} version ${row.version}`
    const given = body.changeDescription
    const ofRow = changeBy(request, services, given ?? `Copied from ${origin}`)
    const ofConfiguration = { ...ofRow, description: given ?? `Row ${rowId} copied from ${origin}` }
    const { name, description, configuration, authors, isDisabled } = row
    const adopted = await secretsToAdopt(
      { configuration: source, owner: ownerAt(params, services) },
      [configuration],
      target.params.configId,
    )
    const sourceRow = rowFacts(request, source, row)
    const stored = await storeRow(target, services, rowId, {
      event: 'componentConfigurationRowCopied',
      step: current => {
        const next = addRow(current, rowId, { name, description, configuration, authors, isDisabled }, ofRow)
        return adoptSecrets({ ...next, current: { ...next.current, changed: ofConfiguration } }, adopted)
      },
      params: { sourceRow },
    })
    return stored
  },
})
