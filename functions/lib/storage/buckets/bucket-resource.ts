import { wireDate } from '../../wire/wire-date.ts'
import { defaultBranchId } from '../db/branch-id.ts'
import { databaseOf } from '../project/backend-name.ts'
import type { BucketRecord } from './bucket-store.ts'

/** What the tables of a bucket come to. */
interface Sums {
  rowsCount: number
  dataSizeBytes: number
  lastChangeDate?: string | undefined
}

/** The bucket on the wire, as in lists and inside a table: `tables` is the address of its tables. */
export const bucketResource = (
  bucket: BucketRecord,
  totals: Sums,
  { baseUrl, projectId, backend }: { baseUrl: string; projectId: number; backend: string },
) => {
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
    lastChangeDate: wireDate(lastChange(bucket, totals)),
    updated: bucket.updated === bucket.created ? null : wireDate(bucket.updated),
    isReadOnly: false,
    dataSizeBytes: totals.dataSizeBytes,
    rowsCount: totals.rowsCount,
    isMaintenance: false,
    backend,
    sharing: null,
    bucketSharingAllowed: null,
    hasExternalSchema: false,
    databaseName: '',
    path: bucket.id,
    // Of Snowflake: the database, which clients put before the schema.
    backendPath: [...(backend === 'snowflake' ? [databaseOf(projectId)] : []), bucket.id],
    isSnowflakeSharedDatabase: false,
    owner: bucket.owner ?? null,
    color: bucket.color,
    isLinkedBucket: false,
  }
}

/** ISO dates in UTC: text order is time order. */
const lastChange = ({ updated }: BucketRecord, { lastChangeDate = updated }: Sums): string =>
  lastChangeDate > updated ? lastChangeDate : updated
