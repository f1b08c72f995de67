import { defaultBranchId } from '../branches/branch-store.ts'
import type { TableHead } from '../tables/table-record.ts'
import { wireDate } from '../wire-date.ts'
import type { BucketRecord } from './bucket-store.ts'

/** The bucket on the wire, as in lists and inside a table: `tables` is the address of its tables. */
export const bucketResource = (bucket: BucketRecord, tables: TableHead[], baseUrl: string) => {
  const uri = `${baseUrl}/v2/storage/buckets/${bucket.id}`
  return {
    uri,
    id: bucket.id,
    name: bucket.name,
    displayName: bucket.displayName,
    idBranch: bucket.branchId ?? defaultBranchId,
    stage: bucket.stage,
    description: bucket.description,
    tables: `${uri}/tables`,
    created: wireDate(bucket.created),
    lastChangeDate: wireDate(lastChange(bucket, tables)),
    updated: bucket.updated === bucket.created ? null : wireDate(bucket.updated),
    isReadOnly: false,
    ...sizeOf(tables),
    isMaintenance: false,
    backend: 'duckdb',
    sharing: null,
    bucketSharingAllowed: null,
    hasExternalSchema: false,
    databaseName: '',
    path: bucket.id,
    backendPath: [bucket.id],
    isSnowflakeSharedDatabase: false,
    owner: bucket.owner ?? null,
    color: bucket.color,
    isLinkedBucket: false,
  }
}

/** ISO dates in UTC: text order is time order. */
const lastChange = (bucket: BucketRecord, tables: TableHead[]): string => {
  const changes = tables.map(table => table.lastChangeDate ?? table.created)
  return [...changes, bucket.updated].toSorted().at(-1) ?? bucket.updated
}

/** Of the tables that hold rows: an alias shows those of another table. */
export const sizeOf = (tables: TableHead[]): { dataSizeBytes: number; rowsCount: number } => {
  const own = tables.filter(({ alias }) => !alias)
  return {
    dataSizeBytes: sum(own.map(({ snapshot }) => snapshot.dataSizeBytes)),
    rowsCount: sum(own.map(({ snapshot }) => snapshot.rowsCount)),
  }
}

const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0)
