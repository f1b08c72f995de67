import type { S3Client } from '@aws-sdk/client-s3'
import { z } from 'zod'
import { type ItemTable, type ItemView, type ItemWrite, plainView } from '../items/item-table.ts'
import { createBranchItems } from './branches/branch-items.ts'
import { createBranchStore } from './branches/branch-store.ts'
import { createOwnership, defaultOwnership } from './branches/ownership.ts'
import { type BucketStore, createBucketStore } from './buckets/bucket-store.ts'
import { createConfigurationStore } from './configurations/configuration-store.ts'
import { createConsoleSessions } from './console/console-sessions.ts'
import { createCounts } from './counts/counts.ts'
import { defaultBranchId } from './db/branch-id.ts'
import { checkDataFormat } from './db/check-data-format.ts'
import { createCleanUps } from './db/clean-ups.ts'
import { createDocumentFiles } from './db/document-files.ts'
import { createIdempotencyStore } from './db/idempotency-store.ts'
import { createIdSource } from './db/ids.ts'
import { createEventStore } from './events/event-store.ts'
import { createFailureStore } from './failures/failure-store.ts'
import { createFileStore } from './files/file-store.ts'
import { eventsOf, type FindFile } from './jobs/job-events.ts'
import { branchOf, type FinalJob } from './jobs/job-record.ts'
import { createJobStore } from './jobs/job-store.ts'
import { createTableQueue } from './jobs/table-queue.ts'
import { createMetadataStore } from './metadata/metadata-store.ts'
import { createScheduleStore } from './schedules/schedule-store.ts'
import { createSnapshotStore } from './snapshots/snapshot-store.ts'
import { createSweepStore } from './sweeps/sweep-store.ts'
import { createAliasStore } from './tables/aliases/alias-store.ts'
import { createTableContents } from './tables/content/table-contents.ts'
import { createExportCache } from './tables/export-cache.ts'
import type { WithHead } from './tables/table-store.ts'
import { createTableStore, type TableStore } from './tables/table-store.ts'
import { createTokenStore } from './tokens/token-store.ts'
import { type BranchTotals, createKeptTotals, shareOf, sumOf, type Totals } from './totals/totals.ts'
import { createTriggerStore } from './triggers/trigger-store.ts'
import { createWorkspaceStore } from './workspaces/workspace-store.ts'

interface StorageStoresOptions {
  items: ItemTable
  s3: S3Client
  tablesBucket: string
  /** Default 7. */
  snapshotRetentionDays?: number
  now: () => Date
}

const SNAPSHOT_RETENTION_DAYS = 7

/** All stores of the service, on its one DynamoDB table. */
export const createStorageStores = ({
  items,
  s3,
  tablesBucket,
  snapshotRetentionDays = SNAPSHOT_RETENTION_DAYS,
  now,
}: StorageStoresOptions) => {
  const branches = createBranchStore(items)
  const documents = createDocumentFiles(s3, tablesBucket)
  const cleanUps = createCleanUps(items, now)
  const tableContents = createTableContents({ s3, tablesBucket, snapshotRetentionDays })
  const nextId = createIdSource(now)
  const metadata = createMetadataStore(items, now)
  const events = createEventStore(items)

  const tablesIn = (view: ItemView, withHead?: WithHead) => {
    const tables = createTableStore(view, tableContents, withHead)
    return { buckets: createBucketStore(view), tables, aliases: createAliasStore(view, tables) }
  }
  const totals = createKeptTotals(items)
  const ofDefault = {
    ...tablesIn(plainView(items), totals),
    totals: totals as BranchTotals,
    files: createFileStore(items),
    queue: createTableQueue(items),
    own: defaultOwnership,
  }
  /** The stores that each branch has of its own. */
  const inBranch = (branchId: number): typeof ofDefault => {
    if (branchId === defaultBranchId) return ofDefault
    const view = createBranchItems(items, { branchId })
    const stores = tablesIn(view)
    return {
      ...stores,
      totals: listTotals(stores),
      files: createFileStore(items, branchId),
      queue: createTableQueue(items, branchId),
      own: createOwnership(view, metadata, nextId),
    }
  }
  /** What tells the end of a job. */
  const tellingOf = async (
    job: FinalJob,
    findFile: FindFile = inBranch(branchOf(job)).files.getReadable,
  ): Promise<ItemWrite[]> => {
    const told = await eventsOf(job, findFile)
    return told.flatMap(event => events.telling({ ...event, id: nextId() }))
  }
  /** The buckets and tables that a development branch does not share with the default branch. */
  const ownTables = (branchId: number) => tablesIn(createBranchItems(items, { branchId, ownOnly: true }))

  return {
    ...ofDefault,
    checkDataFormat: (): Promise<void> => checkDataFormat(items),
    tableContents,
    inBranch,
    ownTables,
    /** Removes the heads of the buckets and tables of a deleted branch. The sweep finds their objects. */
    clearBranch: (branchId: number): Promise<void> => createBranchItems(items, { branchId }).clear(),
    nextId,
    snapshots: createSnapshotStore(items, tableContents),
    exports: createExportCache(items, now),
    jobs: createJobStore(items, nextId, tellingOf),
    idempotency: createIdempotencyStore(items, now),
    project: createProjectStore(items, now),
    tokens: createTokenStore(items),
    consoleSessions: createConsoleSessions(items, now),
    counts: createCounts(items, now),
    branches,
    events,
    triggers: createTriggerStore(items),
    schedules: createScheduleStore(items),
    tickets: createTicketStore(items),
    workspaces: createWorkspaceStore(items),
    sweeps: createSweepStore(items),
    failures: createFailureStore(items, nextId, now),
    metadata,
    configurations: createConfigurationStore(items, documents, cleanUps),
    cleanUps,
  }
}

export type StorageStores = ReturnType<typeof createStorageStores>

const projectRecord = z.object({ created: z.string() })

/** Facts about the installation, stored when they are first asked for. */
const createProjectStore = (items: ItemTable, now: () => Date) => {
  const key = { pk: 'PROJECT', sk: 'PROJECT' }
  let created: string | undefined

  return {
    /** When the service was first used, ISO 8601. */
    async created(): Promise<string> {
      if (created) return created
      await items.put(key, { created: now().toISOString() }, 'absent')
      created = projectRecord.parse(await items.get(key)).created
      return created
    },
  }
}

/** For development branches, which share most tables with the default branch and hold few of their own. */
const listTotals = ({ buckets, tables }: { buckets: BucketStore; tables: TableStore }): BranchTotals => {
  const of = async (bucketId: string): Promise<Totals> =>
    sumOf(
      (await tables.listInBucket(bucketId)).map(({ alias, snapshot, ...head }) =>
        shareOf({ ...head, ...(!alias && { snapshot }) }),
      ),
    )
  const ofEach = async (): Promise<Map<string, Totals>> => {
    const found = new Map<string, Totals>()
    for (const { id } of await buckets.list()) found.set(id, await of(id))
    return found
  }
  return {
    of,
    ofEach,
    ofAll: async () => sumOf([...(await ofEach()).values()]),
  }
}

const ticketRecord = z.object({ last: z.number() })

/** Numbers that always grow. */
const createTicketStore = (items: ItemTable) => ({
  async next(): Promise<number> {
    const item = await items.update({ pk: 'TICKETS', sk: 'LAST' }, { add: { last: 1 } })
    return ticketRecord.parse(item).last
  },
})
