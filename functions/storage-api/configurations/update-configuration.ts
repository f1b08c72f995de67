import { z } from 'zod'
import {
  rollbackConfiguration as rollback,
  setState,
  takeConfiguration,
  updateConfiguration as update,
} from '../../lib/storage/configurations/change-configuration.ts'
import { configurationBody, rolledBackBody } from '../../lib/wire/configuration-body.ts'
import { findConfiguration } from '../find/find-configuration.ts'
import { flag, text, textList } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { routesOf } from '../http/route.ts'
import {
  changeBy,
  changeConfiguration,
  configurationEvent,
  configurationFacts,
  refuseStateInBranch,
} from './change-configuration.ts'
import { configurationResource, warned, withVersionTag } from './configuration-resource.ts'
import { jsonObject } from './json-field.ts'
import { findVersion } from './read-configurations.ts'
import { sealedSettings, sealedState, stateBody } from './sealed-settings.ts'

export const routes = routesOf('configurations')

const changedReplies = {
  404: 'There is no such configuration',
  409: 'Other writers came first for too long: send it again',
  412: 'The version is none of those that `If-Match` names',
}

/**
 * Sets what is given, each part whole (docs/reference/storage-api.md#change-a-configuration). Unchanged values create
 * no version.
 */
routes.put('/v2/storage/components/{componentId}/configs/{configId}', {
  summary: 'Update a configuration',
  body: z.object({
    name: text({ min: 1, max: 1000 }).optional(),
    description: text({ max: 20_000 }).optional(),
    configuration: jsonObject().optional(),
    state: jsonObject().optional(),
    rowsSortOrder: textList({ itemMax: 200 }).optional(),
    changeDescription: text({ max: 2000 }).default('Configuration updated'),
    isDisabled: flag().optional(),
  }),
  validationCode: 'storage.components.validation',
  replies: {
    200: 'The configuration',
    400: '`validation.invalidConfigurationFormat`, `validation.invalidStateFormat`, `validation.invalidRowSortOrder`',
    ...changedReplies,
  },
  reply: configurationBody,
  handle: async (request, services) => {
    refuseStateInBranch(request.branchId, request.body.state, 'configuration')
    const { settings, warnings } = await sealedSettings(request.body, request, services)
    const changed = changeBy(request, services, request.body.changeDescription)
    const configuration = await changeConfiguration(
      request,
      services,
      current => update(current, settings, changed),
      {
        audit: stored => configurationEvent('componentConfigurationChanged', request, stored),
        take: (current, taken) => takeConfiguration(current, settings, taken),
        warnings,
      },
    )
    return withVersionTag(ok(configurationResource(configuration)), configuration)
  },
})

/** Sets the state of a component. Creates no version: components save their state after each run. */
routes.put('/v2/storage/components/{componentId}/configs/{configId}/state', {
  summary: 'Set the state of a configuration',
  body: stateBody,
  replies: {
    200: 'The configuration',
    400: '`storage.components.validation`',
    404: 'There is no such configuration',
  },
  reply: configurationBody,
  handle: async (request, services) => {
    await findConfiguration(request, services)
    const state = await sealedState(request.body, request, services)
    const configuration = await changeConfiguration(request, services, current => setState(current, state), {
      audit: stored => configurationEvent('componentConfigurationStateChanged', request, stored),
    })
    return configurationResource(configuration)
  },
})

/** Creates a version with the content of an old one, including rows. States do not change. */
routes.post('/v2/storage/components/{componentId}/configs/{configId}/versions/{versionId}/rollback', {
  summary: 'Roll a configuration back to a version',
  body: z.object({ changeDescription: text({ max: 2000 }).optional() }),
  validationCode: 'storage.components.validation',
  replies: { 201: 'The new version', 404: 'There is no such configuration or version' },
  reply: rolledBackBody,
  handle: async (request, services) => {
    const found = await findConfiguration(request, services)
    const target = await findVersion(services, found, request.params.versionId)
    const text = request.body.changeDescription ?? `Rollback to version ${target.version}`
    const changed = changeBy(request, services, text)
    const rolledBack = await changeConfiguration(
      request,
      services,
      configuration => rollback(configuration, target, changed),
      {
        audit: stored =>
          configurationEvent('componentConfigurationRolledBack', request, stored, {
            params: { sourceConfiguration: configurationFacts(request, found, target) },
          }),
        comesBack: true,
      },
    )
    return { version: String(rolledBack.current.version), ...warned(rolledBack.warnings) }
  },
})
