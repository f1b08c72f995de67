import pMap from 'p-map'
import { z } from 'zod'
import { bucketResource } from '../../lib/storage/buckets/bucket-resource.ts'
import type { BucketRecord } from '../../lib/storage/buckets/bucket-store.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { tableResource, tableSummary } from '../../lib/storage/tables/table-resource.ts'
import { mayUseBucket } from '../../lib/storage/tokens/rights.ts'
import { columnNames } from '../../lib/table-engine/files/snapshot.ts'
import { listedTableBody, tableBody } from '../../lib/wire/table-body.ts'
import { findBucket, findTable } from '../find/find-table.ts'
import { includeOf } from '../http/fields.ts'
import { recordAudit } from '../http/record-event.ts'
import { routesOf } from '../http/route.ts'
import { metadataOf, sourceMetadata, tableMetadata } from '../metadata/metadata-resource.ts'
import type { Caller, Services } from '../services/services.ts'

export const routes = routesOf('tables')

const names = [
  'buckets',
  'columns',
  'metadata',
  'columnMetadata',
  'sourceMetadata',
  'sourceColumnMetadata',
  'attributes',
] as const

/** `include` of a list of tables: by default each with its bucket and its metadata. `attributes` is from an older API. */
export const tableIncludes = () => includeOf(names, ['buckets', 'metadata'])

/** `include` of a bucket's detail, for the tables in it. They do not repeat the bucket. */
export const tableIncludesOfBucket = () => includeOf(names.filter(name => name !== 'buckets'))

const LOADS_AT_ONCE = 16

interface ListedTables {
  bucket: BucketRecord
  /** Those to list; default: all of the bucket. */
  tables?: TableHead[]
  include: string[]
  baseUrl: string
  caller: Caller
}

/** Tables of a bucket in a list, with what `include` asks for. */
export const listedTables = async (services: Services, { bucket, tables, ...asked }: ListedTables) => {
  const { include, baseUrl } = asked
  const shown = include.includes('buckets') && {
    bucket: bucketResource(bucket, await services.totals.of(bucket.id), { ...services, baseUrl }),
  }
  return pMap(
    tables ?? (await services.tables.listInBucket(bucket.id)),
    async table => ({ ...(await listedTable(services, table, asked)), ...shown }),
    { concurrency: LOADS_AT_ONCE },
  )
}

const listedTable = async (
  services: Services,
  table: TableHead,
  asked: Omit<ListedTables, 'bucket' | 'tables'>,
) => {
  const { include, baseUrl } = asked
  const hasMetadata = include.includes('metadata') || include.includes('columnMetadata')
  const found = hasMetadata ? await tableMetadata(services, table) : undefined
  const summary = tableSummary(table, { ...services, baseUrl })
  return {
    ...summary,
    ...(table.alias && { sourceTable: await sourceTable(services, table, summary.sourceTable, asked) }),
    ...(include.includes('columns') && { columns: columnNames(table.snapshot) }),
    ...(found && include.includes('metadata') && { metadata: found.metadata }),
    ...(found && include.includes('columnMetadata') && { columnMetadata: found.columnMetadata }),
    ...(include.includes('attributes') && { attributes: [] }),
  }
}

const sourceTable = async <Source>(
  services: Services,
  alias: TableHead,
  shown: Source,
  { include, caller }: Pick<ListedTables, 'include' | 'caller'>,
) => {
  const hasColumns = include.includes('columnMetadata') || include.includes('sourceColumnMetadata')
  if (!hasColumns && !include.includes('sourceMetadata')) return shown
  const { metadata, columnMetadata } = await sourceMetadata(services, alias, caller)
  return {
    ...shown,
    ...(include.includes('sourceMetadata') && { metadata }),
    ...(hasColumns && { columnMetadata }),
  }
}

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
      bucket => listedTables(services, { bucket, include: query.include, baseUrl, caller }),
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
    const { params, query, baseUrl, caller } = request
    const bucket = await findBucket(services, params.bucketId)
    const listed = await listedTables(services, { bucket, include: query.include, baseUrl, caller })
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
    const { params } = request
    const table = await findTable(services, params.tableId)
    await recordAudit(request, services, 'tableDetail', { id: params.tableId, name: table.name })
    return tableDetail(services, table, request)
  },
})

/** The complete table as its detail shows it: with its metadata, and with its bucket and that one's metadata. */
export const tableDetail = async (
  services: Services,
  table: TableHead,
  { baseUrl, caller }: Pick<ListedTables, 'baseUrl' | 'caller'>,
) => {
  const bucket = await findBucket(services, table.bucketId)
  const totals = await services.totals.of(table.bucketId)
  const resource = tableResource(table, bucket, totals, { ...services, baseUrl })
  return {
    ...resource,
    ...(resource.sourceTable && {
      sourceTable: {
        ...resource.sourceTable,
        columnMetadata: (await sourceMetadata(services, table, caller)).columnMetadata,
      },
    }),
    ...(await tableMetadata(services, table)),
    bucket: { ...resource.bucket, metadata: await metadataOf(services, metadataSubject.bucket(bucket)) },
  }
}
