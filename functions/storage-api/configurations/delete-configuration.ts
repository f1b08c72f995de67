import { z } from 'zod'
import { TransientError, UserError } from '../../lib/errors/errors.ts'
import { branchConfiguration } from '../../lib/storage/configurations/branch-configuration.ts'
import {
  restoreConfiguration as restore,
  trashConfiguration,
} from '../../lib/storage/configurations/change-configuration.ts'
import type { Configuration } from '../../lib/storage/configurations/configuration.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { configurationBody } from '../../lib/wire/configuration-body.ts'
import { type ConfigurationRequest, configurationNotFound, placeOf } from '../find/find-configuration.ts'
import { text } from '../http/fields.ts'
import { telling } from '../http/record-event.ts'
import { accessDenied } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'
import type { Services } from '../services/services.ts'
import { changeBy, changeConfiguration, configurationEvent } from './change-configuration.ts'
import { configurationResource } from './configuration-resource.ts'

export const routes = routesOf('configurations')

/** Moves a configuration to the trash. If it is there already, removes it for good. */
routes.delete('/v2/storage/components/{componentId}/configs/{configId}', {
  summary: 'Delete a configuration',
  body: z.object({ changeDescription: text({ max: 2000 }).default('Configuration deleted') }),
  validationCode: 'storage.components.validation',
  replies: {
    204: 'In the trash, or removed from it',
    400: '`storage.components.cannotDeleteConfiguration`: it is in the trash of a development branch',
    403: 'The token may not remove from the trash',
    404: 'There is no such configuration',
    412: 'The version is none of those that `If-Match` names',
  },
  handle: async (request, services) => {
    const place = placeOf(request, services)
    const found = await services.configurations.get(place)
    if (!found) throw configurationNotFound(place.configId)
    if (!found.current.content.isDeleted) {
      const changed = changeBy(request, services, request.body.changeDescription)
      await changeConfiguration(request, services, current => trashConfiguration(current, changed), {
        audit: stored => configurationEvent('componentConfigurationDeleted', request, stored),
      })
      return undefined
    }
    if (request.branchId !== defaultBranchId)
      throw new UserError(
        'storage.components.cannotDeleteConfiguration',
        'Deleting configuration from trash is not allowed in development branches.',
      )
    if (!request.caller.canPurgeTrash) throw accessDenied('the right to empty the trash (canPurgeTrash)')
    const told = configurationEvent('componentConfigurationPurged', request, found)
    if (!(await services.configurations.purge(place, found, telling(request, services, told))))
      throw new TransientError(
        'storage.components.busy',
        'The configuration is being changed by another request.',
      )
  },
})

/** Takes a configuration out of the trash. */
routes.post('/v2/storage/components/{componentId}/configs/{configId}/restore', {
  summary: 'Restore a configuration from the trash',
  body: z.object({ changeDescription: text({ max: 2000 }).default('Configuration restored') }),
  validationCode: 'storage.components.validation',
  replies: { 201: 'The configuration', 404: 'There is no such configuration in the trash' },
  reply: configurationBody,
  handle: async (request, services) => {
    const changed = changeBy(request, services, request.body.changeDescription)
    const configuration = await changeConfiguration(request, services, trashed => restore(trashed, changed), {
      audit: stored => configurationEvent('componentConfigurationRestored', request, stored),
      inTrash: true,
      comesBack: true,
    })
    return configurationResource(configuration)
  },
})

/**
 * Makes a branch's configuration a fresh copy of the default branch's: version 1, with its rows, states and metadata. What
 * the default branch has deleted is deleted.
 */
routes.post('/v2/storage/components/{componentId}/configs/{configId}/reset-to-default', {
  summary: 'Reset a configuration to the default branch',
  replies: {
    204: 'It is as in the default branch',
    404: 'Neither branch has such a configuration',
    501: 'The path names the default branch',
  },
  handle: async (request, services) => {
    const place = placeOf(request, services)
    if (place.branchId === defaultBranchId)
      throw new UserError('notImplemented', 'Reset to default branch is not implemented for default branch')
    const original = await services.configurations.get({ ...place, branchId: defaultBranchId })
    const isThere = original !== undefined && !original.current.content.isDeleted
    await (isThere ? copyAgain(original, request, services) : trash(request, services))
  },
})

const copyAgain = async (
  original: Configuration,
  request: ConfigurationRequest,
  services: Services,
): Promise<void> => {
  const { branchId, caller } = request
  const copy = branchConfiguration(original, {
    internalId: `${branchId}-${services.nextId()}`,
    at: services.now().toISOString(),
    token: { id: caller.tokenId, description: caller.description },
  })
  const place = placeOf(request, services)
  const { metadata, nextId } = services
  const subject = metadataSubject.configuration(copy)
  // First, so that whoever sees the copy sees its metadata.
  await metadata.copy(metadataSubject.configuration(original), subject, nextId)
  const told = configurationEvent('componentConfigurationReset', request, copy)
  if (!(await services.configurations.exchange(place, copy, telling(request, services, told)))) {
    await metadata.clear(subject)
    throw new TransientError('storage.components.busy', 'The configuration is being changed by others.')
  }
}

const trash = async (request: ConfigurationRequest, services: Services): Promise<void> => {
  const place = placeOf(request, services)
  const found = await services.configurations.get(place)
  if (!found) throw configurationNotFound(place.configId)
  if (found.current.content.isDeleted) return
  const changed = changeBy(request, services, 'Reset to default branch')
  await changeConfiguration(request, services, current => trashConfiguration(current, changed), {
    audit: stored => configurationEvent('componentConfigurationReset', request, stored),
  })
}
