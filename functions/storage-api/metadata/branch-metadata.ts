import { UserError } from '../../lib/errors/errors.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { findBranch } from '../branches/find-branch.ts'
import type { Services } from '../services.ts'
import type { MetadataOwner } from './metadata-owner.ts'

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
