import { TransientError, UserError } from '../../lib/errors/errors.ts'
import { branchConfiguration } from '../../lib/storage/configurations/branch-configuration.ts'
import { trashConfiguration } from '../../lib/storage/configurations/change-configuration.ts'
import type { Configuration } from '../../lib/storage/configurations/configuration.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { type ConfigurationRequest, configurationNotFound, placeOf } from '../find/find-configuration.ts'
import { recordEvent } from '../http/record-event.ts'
import { routesOf } from '../http/route.ts'
import type { Services } from '../services/services.ts'
import { changeBy, changeConfiguration } from './change-configuration.ts'
import { configurationEvent } from './configuration-events.ts'

export const routes = routesOf('configurations')

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
  const before = await services.configurations.get(place)
  const { metadata, nextId } = services
  const subject = metadataSubject.configuration(copy)
  // First, so that whoever sees the copy sees its metadata.
  await metadata.copy(metadataSubject.configuration(original), subject, nextId)
  if (!(await services.configurations.exchange(place, copy))) {
    await metadata.clear(subject)
    throw new TransientError('storage.components.busy', 'The configuration is being changed by others.')
  }
  if (before) await metadata.clear(metadataSubject.configuration(before))
  await recordEvent(request, services, configurationEvent('componentConfigurationReset', request, copy))
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
