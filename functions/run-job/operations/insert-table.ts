import { together } from '../../lib/items/item-table.ts'
import { type BucketRecord, requireBucket } from '../../lib/storage/buckets/bucket-store.ts'
import { ofBranch } from '../../lib/storage/db/branch-id.ts'
import { branchOf, type ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import type { TableDefinition } from '../../lib/storage/tables/table-definition.ts'
import { tableAlreadyExists } from '../../lib/storage/tables/table-errors.ts'
import type { TableHead, TableRecord } from '../../lib/storage/tables/table-record.ts'
import { tableResource } from '../../lib/storage/tables/table-resource.ts'
import { refuseTakenName } from '../../lib/storage/tables/update-table.ts'
import { shareOf, sumOf } from '../../lib/storage/totals/totals.ts'
import type { Snapshot } from '../../lib/table-engine/files/snapshot.ts'
import type { RunJobServices } from '../job/services.ts'
import type { JobLoad, Outcome } from './outcome.ts'

/** What a table that is created is called. */
interface NewTable {
  bucketId: string
  name: string
  displayName: string
}

/** The initial content of a new table. */
export interface FirstContent {
  snapshot: Snapshot
  load: JobLoad
  definition?: TableDefinition | undefined
  /** Nothing was loaded: the table shows no import. */
  isEmpty?: boolean
}

interface Inserted {
  table: TableHead
  load: JobLoad
  resource: Record<string, unknown>
  inserted: Omit<Outcome, 'results'>
}

/**
 * Creates a table with its first snapshot by one write, in the transaction that ends the job, so that a failed create leaves no table.
 * Resolves to the table, also as the job shows it, to what the job says of its load, and to the rest of the outcome.
 */
export const insertTable = async (
  job: ProcessingJob,
  newTable: NewTable,
  services: RunJobServices,
  makeContent: () => Promise<FirstContent>,
): Promise<Inserted> => {
  const { tables, buckets } = services
  const { bucketId, name, displayName } = newTable
  const refuseExisting = async (): Promise<BucketRecord> => {
    const bucket = await requireBucket(bucketId, services)
    if (await tables.getHead(`${bucketId}.${name}`)) throw tableAlreadyExists(name, displayName)
    await refuseTakenName(newTable, tables)
    return bucket
  }
  const bucket = await refuseExisting()
  const content = await makeContent()
  const table = tableOf(job, newTable, content)
  const totals = sumOf([await services.totals.of(bucketId), shareOf(table)])
  return {
    table,
    load: content.load,
    resource: tableResource(table, bucket, totals, { ...services, baseUrl: job.baseUrl }),
    inserted: {
      decide: async () => {
        await refuseExisting()
        return together(tables.inserting(table), [await buckets.touching(bucketId)])
      },
    },
  }
}

/** Its internal id is the job's. */
const tableOf = (
  job: ProcessingJob,
  { bucketId, name, displayName }: NewTable,
  { snapshot, definition, isEmpty = false }: FirstContent,
): TableRecord => {
  const at = job.startTime
  return {
    internalId: job.id,
    bucketId,
    name,
    ...ofBranch(branchOf(job)),
    displayName,
    created: at,
    lastImportDate: isEmpty ? null : at,
    lastChangeDate: at,
    lastJobId: job.id,
    ...(definition && { definition }),
    snapshot,
    revision: 1,
  }
}
