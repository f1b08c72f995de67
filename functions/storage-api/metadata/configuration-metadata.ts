import { UserError } from '../../lib/errors/errors.ts'
import { defaultBranchId } from '../../lib/storage/branches/branch-store.ts'
import type { Configuration } from '../../lib/storage/configurations/configuration.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { configurationEvent } from '../configurations/configuration-events.ts'
import { findConfiguration, notFound } from '../configurations/find-configuration.ts'
import type { MetadataOwner } from './metadata-owner.ts'

/** Setting metadata of a configuration creates no version of it. */
export const configurationMetadata: MetadataOwner<{ componentId: string; configId: string }, Configuration> =
  {
    path: '/v2/storage/components/{componentId}/configs/{configId}/metadata',
    kind: 'configuration',
    hasProvider: false,
    find: findConfiguration,
    subject: metadataSubject.configuration,
    setEvent: (configuration, results, request) =>
      configurationEvent('componentConfigurationMetadataSet', request, configuration, { results }),
    deletedEvent: (configuration, facts, request) =>
      configurationEvent('componentConfigurationMetadataDeleted', request, configuration, facts),
    deleteReplies: { 501: 'The path names a development branch' },
    refuseDelete: (_, __, { branchId }) => {
      if (branchId !== defaultBranchId)
        throw new UserError('notImplemented', 'Delete metadata is not implemented for development branch')
    },
    notFound: (metadataId, { id }, { params, branchId }) =>
      notFound(
        `Metadata with id "${metadataId.slice(0, 50)}" not found for "${params.componentId}" configuration "${id}" in branch "${branchId}"`,
      ),
  }
