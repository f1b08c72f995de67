import { columnNames } from '../../table-engine/snapshot.ts'
import { bucketResource } from '../buckets/bucket-resource.ts'
import type { BucketRecord } from '../buckets/bucket-store.ts'
import { wireDate, wireDateOrNull } from '../wire-date.ts'
import { definitionFor } from './table-definition.ts'
import type { TableHead } from './table-record.ts'
import { tableIdOf } from './table-store.ts'

/** The table on the wire, as in a list: without columns, metadata and bucket. */
export const tableSummary = (table: TableHead, baseUrl: string) => {
  const id = tableIdOf(table)
  return {
    uri: `${baseUrl}/v2/storage/tables/${id}`,
    id,
    name: table.name,
    displayName: table.displayName,
    transactional: false,
    primaryKey: table.snapshot.primaryKey,
    indexType: null,
    created: wireDate(table.created),
    lastImportDate: wireDateOrNull(table.lastImportDate),
    lastChangeDate: wireDateOrNull(table.lastChangeDate),
    rowsCount: table.snapshot.rowsCount,
    dataSizeBytes: table.snapshot.dataSizeBytes,
    isAlias: false,
    isAliasable: true,
    isTyped: table.definition !== undefined,
    timestampType: null,
    tableType: 'table',
    path: id,
  }
}

/** The complete table on the wire. `siblings`: all tables of its bucket, for the sums of the bucket. */
export const tableResource = (
  table: TableHead,
  bucket: BucketRecord,
  siblings: TableHead[],
  baseUrl: string,
) => ({
  ...tableSummary(table, baseUrl),
  ...(table.definition && { definition: definitionFor(table.definition, table.snapshot) }),
  columns: columnNames(table.snapshot),
  ...emptyTableMetadata,
  attributes: [],
  bucket: bucketResource(bucket, siblings, baseUrl),
})

const emptyTableMetadata = { metadata: [], columnMetadata: [] } as const
