import { z } from 'zod'
import { adoptSecrets, secretsToAdopt } from '../../lib/storage/configurations/adopted-secrets.ts'
import {
  addRow,
  findRow,
  deleteRow as remove,
  replaceRow,
  setRowState as setState,
  takeRow,
  updateRow as update,
} from '../../lib/storage/configurations/change-rows.ts'
import { type Configuration, rowMemory } from '../../lib/storage/configurations/configuration.ts'
import type { AuditEventName } from '../../lib/storage/events/audit-event.ts'
import { rowBody } from '../../lib/wire/configuration-body.ts'
import {
  type ChangeOptions,
  changeBy,
  changeConfiguration,
  refuseStateInBranch,
  rowEvent,
  rowFacts,
} from '../configurations/change-configuration.ts'
import { rowResource } from '../configurations/configuration-resource.ts'
import { jsonObject } from '../configurations/json-field.ts'
import {
  ownerAt,
  sealedSettings,
  sealedState,
  stateBody,
  stateOfRow,
} from '../configurations/sealed-settings.ts'
import { type ConfigurationRequest, entityId, findConfiguration } from '../find/find-configuration.ts'
import { flag, text } from '../http/fields.ts'
import { routesOf } from '../http/route.ts'
import type { Services } from '../services/services.ts'
import { findRowVersion } from './read-rows.ts'

export const routes = routesOf('rows')

interface RowChange extends Omit<ChangeOptions, 'audit'> {
  event: AuditEventName
  step: (configuration: Configuration) => Configuration
  /** What the event says besides. */
  params?: object
}

/** Applies a change of a row to the configuration of the path. Resolves to the row on the wire. */
const storeRow = async (
  request: ConfigurationRequest,
  services: Services,
  rowId: string,
  { event, step, params, warnings = [], ...options }: RowChange,
) => {
  const audit = (stored: Configuration) => rowEvent(event, request, stored, findRow(stored, rowId), params)
  const configuration = await changeConfiguration(request, services, step, {
    ...options,
    audit,
    warnings: warnings.map(({ place, message }) => ({ place: `rows.${rowId}.${place}`, message })),
  })
  return rowResource(findRow(configuration, rowId), configuration)
}

const path = '/v2/storage/components/{componentId}/configs/{configId}/rows/{rowId}'

const changedReplies = {
  404: 'There is no such configuration or row',
  409: 'Other writers came first for too long: send it again',
  412: 'The version of the configuration is none of those that `If-Match` names',
}

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
    const { settings, warnings } = await sealedSettings(body, request, services)
    const changed = changeBy(request, services, body.changeDescription ?? `Row ${rowId} added`)
    return storeRow(request, services, rowId, {
      event: 'componentConfigurationRowCreated',
      step: current => addRow(current, rowId, settings, changed),
      warnings,
    })
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
    const row = await findRowVersion(source, request, services)
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

/** Replaces the given parts. Unchanged values create no version, neither of the row nor of its configuration, unless the name is among them. */
routes.put(path, {
  summary: 'Update a row',
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
    ...changedReplies,
  },
  reply: rowBody,
  handle: async (request, services) => {
    const { body, params } = request
    findRow(await findConfiguration(request, services), params.rowId)
    refuseStateInBranch(request.branchId, body.state, 'configuration row')
    const { settings, warnings } = await sealedSettings(body, request, services)
    const changed = changeBy(request, services, body.changeDescription ?? `Row ${params.rowId} changed`)
    return storeRow(request, services, params.rowId, {
      event: 'componentConfigurationRowChanged',
      step: current => {
        const next = update(current, params.rowId, settings, changed)
        // Clients count the versions that the hosted service makes.
        return next === current && body.name !== undefined
          ? takeRow(current, params.rowId, settings, changed)
          : next
      },
      take: (current, taken) => takeRow(current, params.rowId, settings, taken),
      warnings,
    })
  },
})

/** Sets the state of a row. Creates no version. */
routes.put(`${path}/state`, {
  summary: 'Set the state of a row',
  body: stateBody,
  replies: {
    200: 'The row',
    400: '`storage.componentsRows.validation`, `validation.invalidStateFormat`',
    404: 'There is no such configuration or row',
  },
  reply: rowBody,
  handle: async (request, services) => {
    const { rowId } = request.params
    findRow(await findConfiguration(request, services), rowId)
    const state = await sealedState(request.body, request, services, stateOfRow)
    const step = (current: Configuration) => setState(current, rowId, state)
    const event = 'componentConfigurationRowStateChanged'
    return storeRow(request, services, rowId, { event, step })
  },
})

/** Removes a row. A rollback of the configuration restores it. */
routes.delete(path, {
  summary: 'Delete a row',
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
  },
})

/** Creates a version of a row with the content of an old one. Its state does not change. */
routes.post(`${path}/versions/{versionId}/rollback`, {
  summary: 'Roll a row back to a version',
  body: z.object({ changeDescription: text({ max: 2000 }).optional() }),
  validationCode: 'storage.components.validation',
  replies: { 201: 'The row', 404: 'There is no such row or version' },
  reply: rowBody,
  handle: async (request, services) => {
    const { rowId } = request.params
    const found = await findConfiguration(request, services)
    const target = await findRowVersion(found, request, services)
    const given = request.body.changeDescription
    const ofRow = changeBy(request, services, given ?? `Rollback to version ${target.version}`)
    const ofConfiguration = given ?? `Row ${rowId} version ${target.version} rollback`
    const step = (current: Configuration): Configuration => {
      findRow(current, rowId)
      const next = replaceRow(current, target, rowMemory(current, rowId).state, ofRow)
      const changed = { ...ofRow, description: ofConfiguration }
      return { ...next, current: { ...next.current, changed } }
    }
    const sourceRow = rowFacts(request, found, target)
    const event = 'componentConfigurationRowRolledBack'
    const row = await storeRow(request, services, rowId, {
      event,
      step,
      params: { sourceRow },
      comesBack: true,
    })
    return row
  },
})
