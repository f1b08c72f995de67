import { tableResource } from '../../lib/storage/tables/table-resource.ts'
import { findBucket } from '../buckets/find-bucket.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { tableMetadata } from '../metadata/metadata-resource.ts'
import { findTable } from './find-table.ts'
import { tableBody } from './table-body.ts'

export const getTable = defineRoute({
  method: 'get',
  path: '/v2/storage/tables/{tableId}',
  summary: 'Table detail',
  tag: 'tables',
  replies: { 200: 'The table', 404: 'There is no such table' },
  reply: tableBody,
  handle: async ({ params, baseUrl }, services) => {
    const table = await findTable(services, params.tableId)
    const bucket = await findBucket(services, table.bucketId)
    const siblings = await services.tables.listInBucket(table.bucketId)
    return ok({
      ...tableResource(table, bucket, siblings, baseUrl),
      ...(await tableMetadata(services, table)),
    })
  },
})
