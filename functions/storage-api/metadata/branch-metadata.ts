import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { metadatumBody } from '../../lib/wire/metadatum-body.ts'
import { findBranch } from '../branches/find-branch.ts'
import { recordEvent } from '../events/record-event.ts'
import { created, noContent, ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import type { Services } from '../services.ts'
import { deletedFacts, metadataParams } from './metadata-events.ts'
import { metadataOf } from './metadata-resource.ts'
import { fieldsWithoutProvider, readMetadata } from './read-metadata.ts'
import { storeMetadata } from './store-metadata.ts'

// Clients ask below `branch/{branchId}`, which is removed from every path before routing.
const path = '/v2/storage/metadata'
const shared = { tag: 'metadata', reply: z.array(metadatumBody) }

export const listBranchMetadata = defineRoute({
  ...shared,
  method: 'get',
  path,
  summary: 'List the metadata of the branch of the path',
  replies: { 200: 'The metadata' },
  handle: async ({ branchId }, services) => ok(await metadataOf(services, metadataSubject.branch(branchId))),
})

export const setBranchMetadata = defineRoute({
  ...shared,
  method: 'post',
  path,
  access: 'project',
  summary: 'Set metadata of the branch of the path',
  body: z.object(fieldsWithoutProvider),
  replies: { 201: 'All metadata of the branch', 400: '`storage.metadata.…`' },
  handle: async (request, services) => {
    const { branchId, body } = request
    const subject = metadataSubject.branch(branchId)
    const given = readMetadata(body.metadata, { provider: '' })
    await storeMetadata(services, subject, given)
    const event = auditEvent('devBranchMetadataSet', {
      ...(await nameOf(branchId, services)),
      params: metadataParams(given),
    })
    await recordEvent(request, services, event)
    return created(await metadataOf(services, subject))
  },
})

export const deleteBranchMetadata = defineRoute({
  tag: 'metadata',
  method: 'delete',
  path: '/v2/storage/metadata/{metadataId}',
  access: 'project',
  summary: 'Delete a metadatum of the branch of the path',
  replies: { 204: 'Deleted', 404: 'There is no such metadatum' },
  handle: async (request, services) => {
    const { branchId, params } = request
    const deleted = await services.metadata.delete(metadataSubject.branch(branchId), params.metadataId)
    if (!deleted)
      throw new UserError(
        'storage.metadata.notFound',
        `Metadata with id "${params.metadataId.slice(0, 50)}" not found`,
      )
    const event = auditEvent('devBranchMetadataDeleted', {
      ...(await nameOf(branchId, services)),
      ...deletedFacts(deleted),
    })
    await recordEvent(request, services, event)
    return noContent()
  },
})

const nameOf = async (branchId: number, services: Services) => {
  const { name } = await findBranch(services, String(branchId))
  return { id: String(branchId), name }
}
