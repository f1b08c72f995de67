import { UserError } from '../../lib/errors/errors.ts'
import type { BucketRecord } from '../../lib/storage/buckets/bucket-store.ts'
import type { Configuration } from '../../lib/storage/configurations/configuration.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { updateBucket } from '../../lib/storage/update-bucket.ts'
import { configurationEvent } from '../configurations/change-configuration.ts'
import { findBranch } from '../find/find-branch.ts'
import { findConfiguration, notFound } from '../find/find-configuration.ts'
import { findBucket, findBucketToChange } from '../find/find-table.ts'
import type { Services } from '../services/services.ts'
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

const nameOf = async (branchId: number, services: Services) => {
  const { name } = await findBranch(services, String(branchId))
  return { id: String(branchId), name }
}

/** Clients ask below `branch/{branchId}`, which is removed from every path before routing. */
export const branchMetadata: MetadataOwner<object, number> = {
  path: '/v2/storage/metadata',
  kind: 'branch',
  inWords: 'the branch of the path',
  missing: null,
  access: 'project',
  hasProvider: false,
  find: async ({ branchId }) => branchId,
  subject: metadataSubject.branch,
  setEvent: async (branchId, params, _, services) =>
    auditEvent('devBranchMetadataSet', { ...(await nameOf(branchId, services)), params }),
  deletedEvent: async (branchId, facts, _, services) =>
    auditEvent('devBranchMetadataDeleted', { ...(await nameOf(branchId, services)), ...facts }),
  notFound: id =>
    new UserError('storage.metadata.notFound', `Metadata with id "${id.slice(0, 50)}" not found`),
}

export const bucketMetadata: MetadataOwner<{ bucketId: string }, BucketRecord> = {
  path: '/v2/storage/buckets/{bucketId}/metadata',
  kind: 'bucket',
  hasProvider: true,
  find: ({ params }, services) => findBucket(services, params.bucketId),
  findToChange: ({ params }, services) => findBucketToChange(services, params.bucketId),
  subject: metadataSubject.bucket,
  wasSet: ({ id }, services) => updateBucket(id, { isDescribed: true }, services),
  setEvent: ({ id, name }, params) => auditEvent('bucketMetadataSet', { id, name, params }),
  deletedEvent: ({ id, name }, facts) => auditEvent('bucketMetadataDeleted', { id, name, ...facts }),
  notFound: (metadataId, { id }) =>
    new UserError(
      'storage.metadata.notFound',
      `Metadata "${metadataId.slice(0, 50)}" not found for bucket "${id}".`,
    ),
}
