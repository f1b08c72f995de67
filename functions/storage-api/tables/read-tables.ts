import { z } from '@hono/zod-openapi'
import pMap from 'p-map'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { tableResource } from '../../lib/storage/tables/table-resource.ts'
import { mayUseBucket } from '../../lib/storage/tokens/rights.ts'
import { listedTableBody, tableBody } from '../../lib/wire/table-body.ts'
import { findBucket, findTable } from '../find/find-table.ts'
import { recordAudit } from '../http/record-event.ts'
import { routesOf } from '../http/route.ts'
import { metadataOf, sourceMetadata, tableMetadata } from '../metadata/metadata-resource.ts'
import type { Services } from '../services/services.ts'
import { listedTables, tableIncludes } from './table-includes.ts'

export const routes = routesOf('tables')

const LISTS_AT_ONCE = 16

routes.get('/v2/storage/tables', {
  summary: 'List tables',
  query: z.object({ include: tableIncludes() }),
  replies: { 200: 'The tables of all buckets, in the order of their ids' },
  reply: z.array(listedTableBody),
  handle: async (request, services) => {
    const { query, caller, baseUrl } = request
    const visible = (await services.buckets.list()).filter(({ id }) => mayUseBucket(caller, id, 'read'))
    const perBucket = await pMap(
      visible,
      bucket => listedTables(services, { bucket, include: query.include, baseUrl }),
      { concurrency: LISTS_AT_ONCE },
    )
    await recordAudit(request, services, 'tablesListed')
    return perBucket.flat()
  },
})

routes.get('/v2/storage/buckets/{bucketId}/tables', {
  summary: 'List the tables of a bucket',
  query: z.object({ include: tableIncludes() }),
  replies: { 200: 'The tables, in the order of their names', 404: 'There is no such bucket' },
  reply: z.array(listedTableBody),
  handle: async (request, services) => {
    const { params, query, baseUrl } = request
    const bucket = await findBucket(services, params.bucketId)
    const listed = await listedTables(services, { bucket, include: query.include, baseUrl })
    const { id, name } = bucket
    await recordAudit(request, services, 'tablesListed', { id, name })
    return listed
  },
})

routes.get('/v2/storage/tables/{tableId}', {
  summary: 'Table detail',
  replies: { 200: 'The table', 404: 'There is no such table' },
  reply: tableBody,
  handle: async (request, services) => {
    const { params, baseUrl } = request
    const table = await findTable(services, params.tableId)
    await recordAudit(request, services, 'tableDetail', { id: params.tableId, name: table.name })
    return tableDetail(services, table, baseUrl)
  },
})

/** The complete table as its detail shows it: with its metadata, and with its bucket and that one's metadata. */
export const tableDetail = async (services: Services, table: TableHead, baseUrl: string) => {
  const bucket = await findBucket(services, table.bucketId)
  const totals = await services.totals.of(table.bucketId)
  const resource = tableResource(table, bucket, totals, { ...services, baseUrl })
  return {
    ...resource,
    ...(resource.sourceTable && {
      sourceTable: {
        ...resource.sourceTable,
        columnMetadata: (await sourceMetadata(services, table)).columnMetadata,
      },
    }),
    ...(await tableMetadata(services, table)),
    bucket: { ...resource.bucket, metadata: await metadataOf(services, metadataSubject.bucket(bucket)) },
  }
}
