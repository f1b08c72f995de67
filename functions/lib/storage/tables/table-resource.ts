import { columnNames } from '../../table-engine/files/snapshot.ts'
import { wireDate, wireDateOrNull } from '../../wire/wire-date.ts'
import { bucketResource } from '../buckets/bucket-resource.ts'
import type { BucketRecord } from '../buckets/bucket-store.ts'
import { projectName } from '../project/project-name.ts'
import type { Totals } from '../totals/totals.ts'
import { isAliasable } from './aliases/alias-rules.ts'
import { shownDefinition, shownUntyped } from './table-definition.ts'
import type { TableHead } from './table-record.ts'
import { tableIdOf } from './table-store.ts'

/** Where tables are shown. */
interface Place {
  /** `https://host`: the address at which the caller reached this service. */
  baseUrl: string
  projectId: number
  /** What clients take the tables for. */
  backend: string
}

/** The table on the wire, as in a list: without columns, metadata and bucket. */
export const tableSummary = (table: TableHead, place: Place) => {
  const id = tableIdOf(table)
  const isFiltered = table.alias !== undefined && table.alias.filters.length > 0
  return {
    uri: uriOf(id, place),
    id,
    name: table.name,
    displayName: table.displayName,
    transactional: false,
    primaryKey: table.snapshot.primaryKey,
    indexType: null,
    created: wireDate(table.created),
    lastImportDate: wireDateOrNull(table.lastImportDate),
    lastChangeDate: wireDateOrNull(table.lastChangeDate),
    // Only reading them all would say how many rows a filter leaves.
    rowsCount: isFiltered ? null : table.snapshot.rowsCount,
    dataSizeBytes: isFiltered ? null : table.snapshot.dataSizeBytes,
    isAlias: table.alias !== undefined,
    isAliasable: isAliasable(table),
    ...(table.alias && aliasFields(table.alias, table.snapshot, place)),
    isTyped: table.definition !== undefined,
    timestampType: null,
    tableType: 'table',
    path: id,
  }
}

/** The complete table on the wire, with its bucket and that one's totals. */
export const tableResource = (table: TableHead, bucket: BucketRecord, totals: Totals, place: Place) => ({
  ...tableSummary(table, place),
  definition: table.definition
    ? shownDefinition(table.definition, table.snapshot)
    : shownUntyped(table.snapshot),
  columns: columnNames(table.snapshot),
  ...emptyTableMetadata,
  attributes: [],
  bucket: bucketResource(bucket, totals, place),
})

const uriOf = (id: string, { baseUrl }: Place): string => `${baseUrl}/v2/storage/tables/${id}`

/** What only an alias has. Of its source it defines the columns that it shows, and no others. */
const aliasFields = (
  { record, source }: NonNullable<TableHead['alias']>,
  shown: TableHead['snapshot'],
  place: Place,
) => ({
  aliasColumnsAutoSync: record.columns === undefined,
  ...(record.filter && { aliasFilter: record.filter }),
  sourceTable: {
    id: record.sourceTableId,
    uri: uriOf(record.sourceTableId, place),
    name: source.name,
    project: { id: place.projectId, name: projectName(place.projectId) },
    ...(source.definition && { definition: shownDefinition(source.definition, shown) }),
  },
})

const emptyTableMetadata = { metadata: [], columnMetadata: {} } as const
