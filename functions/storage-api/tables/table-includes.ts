import pMap from 'p-map'
import { bucketResource } from '../../lib/storage/buckets/bucket-resource.ts'
import type { BucketRecord } from '../../lib/storage/buckets/bucket-store.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { tableSummary } from '../../lib/storage/tables/table-resource.ts'
import { columnNames } from '../../lib/table-engine/files/snapshot.ts'
import { includeOf } from '../http/fields.ts'
import { sourceMetadata, tableMetadata } from '../metadata/metadata-resource.ts'
import type { Services } from '../services/services.ts'

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
}

/** Tables of a bucket in a list, with what `include` asks for. */
export const listedTables = async (
  services: Services,
  { bucket, tables, include, baseUrl }: ListedTables,
) => {
  const shown = include.includes('buckets') && {
    bucket: bucketResource(bucket, await services.totals.of(bucket.id), { ...services, baseUrl }),
  }
  return pMap(
    tables ?? (await services.tables.listInBucket(bucket.id)),
    async table => ({ ...(await listedTable(services, table, include, baseUrl)), ...shown }),
    { concurrency: LOADS_AT_ONCE },
  )
}

const listedTable = async (services: Services, table: TableHead, include: string[], baseUrl: string) => {
  const hasMetadata = include.includes('metadata') || include.includes('columnMetadata')
  const found = hasMetadata ? await tableMetadata(services, table) : undefined
  const summary = tableSummary(table, { ...services, baseUrl })
  return {
    ...summary,
    ...(table.alias && { sourceTable: await sourceTable(services, table, summary.sourceTable, include) }),
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
  include: string[],
) => {
  const hasColumns = include.includes('columnMetadata') || include.includes('sourceColumnMetadata')
  if (!hasColumns && !include.includes('sourceMetadata')) return shown
  const { metadata, columnMetadata } = await sourceMetadata(services, alias)
  return {
    ...shown,
    ...(include.includes('sourceMetadata') && { metadata }),
    ...(hasColumns && { columnMetadata }),
  }
}
