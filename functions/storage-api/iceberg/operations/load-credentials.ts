import { z } from '@hono/zod-openapi'
import { ok } from '../../http/reply.ts'
import { vendCredentials } from '../access/vend-credentials.ts'
import { defineOperation } from '../catalog-operation.ts'
import { findCatalogTable } from '../names/find-catalog-table.ts'
import { currentMetadata } from './current-metadata.ts'

/** New credentials for a table, for queries that take longer than the first ones last. */
export const loadCredentials = defineOperation({
  endpoint: 'GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials',
  query: z.object({}),
  handle: async (request, services) => {
    const table = await findCatalogTable(request, services)
    const { text } = await currentMetadata(table, services.tableAccess)
    return ok({ 'storage-credentials': [await vendCredentials(request, services, { table, text })] })
  },
})
