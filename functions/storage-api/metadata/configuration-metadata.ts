import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { defaultBranchId } from '../../lib/storage/branches/branch-store.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { metadatumBody } from '../../lib/wire/metadatum-body.ts'
import { configurationEvent } from '../configurations/configuration-events.ts'
import { findConfiguration, notFound } from '../configurations/find-configuration.ts'
import { recordEvent } from '../events/record-event.ts'
import { created, noContent, ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { deletedFacts, metadataParams } from './metadata-events.ts'
import { metadataOf } from './metadata-resource.ts'
import { fieldsWithoutProvider, readMetadata } from './read-metadata.ts'
import { storeMetadata } from './store-metadata.ts'

const path = '/v2/storage/components/{componentId}/configs/{configId}/metadata'
const shared = { tag: 'metadata', reply: z.array(metadatumBody) }

export const listConfigurationMetadata = defineRoute({
  ...shared,
  method: 'get',
  path,
  summary: 'List the metadata of a configuration',
  replies: { 200: 'The metadata', 404: 'There is no such configuration' },
  handle: async (request, services) => {
    const configuration = await findConfiguration(request, services)
    return ok(await metadataOf(services, metadataSubject.configuration(configuration)))
  },
})

/** Sets metadata of a configuration. Creates no version. */
export const setConfigurationMetadata = defineRoute({
  ...shared,
  method: 'post',
  path,
  summary: 'Set metadata of a configuration',
  body: z.object(fieldsWithoutProvider),
  replies: {
    201: 'All metadata of the configuration',
    400: '`storage.metadata.…`',
    404: 'There is no such configuration',
  },
  handle: async (request, services) => {
    const configuration = await findConfiguration(request, services)
    const subject = metadataSubject.configuration(configuration)
    const given = readMetadata(request.body.metadata, { provider: '' })
    await storeMetadata(services, subject, given)
    const event = configurationEvent('componentConfigurationMetadataSet', request, configuration, {
      results: metadataParams(given),
    })
    await recordEvent(request, services, event)
    return created(await metadataOf(services, subject))
  },
})

export const deleteConfigurationMetadata = defineRoute({
  tag: 'metadata',
  method: 'delete',
  path: '/v2/storage/components/{componentId}/configs/{configId}/metadata/{metadataId}',
  summary: 'Delete a metadatum of a configuration',
  replies: {
    204: 'Deleted',
    404: 'There is no such configuration or metadatum',
    501: 'The path names a development branch',
  },
  handle: async (request, services) => {
    const { metadataId } = request.params
    const configuration = await findConfiguration(request, services)
    const { branchId } = request
    if (branchId !== defaultBranchId)
      throw new UserError('notImplemented', 'Delete metadata is not implemented for development branch')
    const subject = metadataSubject.configuration(configuration)
    const deleted = await services.metadata.delete(subject, metadataId)
    if (!deleted)
      throw notFound(
        `Metadata with id "${metadataId.slice(0, 50)}" not found for "${request.params.componentId}" configuration "${configuration.id}" in branch "${branchId}"`,
      )
    const event = configurationEvent(
      'componentConfigurationMetadataDeleted',
      request,
      configuration,
      deletedFacts(deleted),
    )
    await recordEvent(request, services, event)
    return noContent()
  },
})
