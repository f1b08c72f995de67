import { tableResource } from '../../../lib/storage-resources/table-resource.ts'
import { findBucket } from '../../buckets/find-bucket.ts'
import { tableMetadata } from '../../metadata/metadata-resource.ts'
import { tableBody } from '../../resources/table-body.ts'
import { findTable } from '../../tables/find-table.ts'
import { ok } from '../../wire/reply.ts'
import { defineRoute } from '../../wire/route.ts'

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
