import { z } from '@hono/zod-openapi'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { created, noContent, ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { metadataOf, metadatumBody } from './metadata-resource.ts'
import { metadataFields, metadataNotFound, readMetadata } from './read-metadata.ts'
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
  body: z.object({ metadata: metadataFields.metadata }),
  replies: { 201: 'All metadata of the branch', 400: '`storage.metadata.…`' },
  handle: async ({ branchId, body }, services) => {
    const subject = metadataSubject.branch(branchId)
    await storeMetadata(services, subject, readMetadata(body.metadata, { provider: '' }))
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
  handle: async ({ branchId, params }, services) => {
    if (!(await services.metadata.delete(metadataSubject.branch(branchId), params.metadataId)))
      throw metadataNotFound(params.metadataId)
    return noContent()
  },
})
