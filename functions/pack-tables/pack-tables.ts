import { findPacking, type Packing } from '../lib/distributed/find-packing.ts'
import { defaultBranchId } from '../lib/storage/db/branch-id.ts'
import { tableWarning } from '../lib/storage/events/table-warning.ts'
import type { StartJob } from '../lib/storage/jobs/start-next.ts'
import type { StorageStores } from '../lib/storage/storage-stores.ts'
import type { PackingLedger } from '../lib/storage/tables/packing-ledger.ts'
import { tableIdOf } from '../lib/storage/tables/table-store.ts'

export interface PackServices
  extends Pick<StorageStores, 'inBranch' | 'tableContents' | 'jobs' | 'nextId' | 'events'> {
  ledger: PackingLedger
  startJob: StartJob
  /** Tables of more bytes outgrow one function. In smaller ones each load joins small files. */
  singleMergeBytes: number
  /** Bytes that queries may rewrite on one day (UTC). */
  bytesPerDay: number
  now: () => Date
  log: {
    info(message: string, extra: Record<string, unknown>): void
    error(message: string, extra: Record<string, unknown>): void
  }
}

interface Packed {
  /** Tables that a job packs now. */
  started: number
  /** Tables that would be worth it, and are too much for the day. */
  skipped: number
}

interface Candidate {
  tableId: string
  packing: Packing
}

/**
 * Starts a job for each large table of the default branch whose files are worth packing, within the bytes of a day. What
 * does not fit is said in the log and in an event of the table. May be repeated: a table has one job a day. A branch is
 * short-lived: its own tables are packed when somebody asks for it.
 *
 * The jobs wait for others of their tables, as all jobs do.
 */
export const packTables = async (services: PackServices): Promise<Packed> => {
  const { ledger, bytesPerDay, now, log } = services
  const packed: Packed = { started: 0, skipped: 0 }
  for (const candidate of await findCandidates(services)) {
    const { tableId, packing } = candidate
    const taken = await ledger.take(now(), { tableId, bytes: packing.bytes, bytesPerDay })
    if (taken.outcome === 'taken') {
      const jobId = await startPacking(candidate, services)
      log.info('table is packed', { tableId, jobId, ...packing })
      packed.started++
    } else if (taken.outcome === 'over') {
      await saySkipped(candidate, taken.left, services)
      packed.skipped++
    } else log.info('table was asked for before', { tableId })
  }
  return packed
}

/** The tables with the most files first: packing helps them most. */
const findCandidates = async (services: PackServices): Promise<Candidate[]> => {
  const { inBranch, tableContents, singleMergeBytes, log } = services
  const { buckets, tables } = inBranch(defaultBranchId)
  const found: Candidate[] = []
  for (const { id } of await buckets.list())
    for await (const table of tables.headsInBucket(id)) {
      const { metadataKey, snapshot } = table
      if (metadataKey === undefined || snapshot.dataSizeBytes <= singleMergeBytes) continue
      const tableId = tableIdOf(table)
      const packing = await tableContents
        .files(metadataKey)
        .then(findPacking)
        // A table that cannot be read must not keep the others from being packed.
        .catch((error: unknown) => log.error('table not looked at', { tableId, error }))
      if (packing) found.push({ tableId, packing })
    }
  return found.sort((one, other) => other.packing.files - one.packing.files)
}

const startPacking = async (
  { tableId, packing }: Candidate,
  { jobs, nextId, startJob, now, log }: PackServices,
): Promise<number> => {
  const job = await jobs.create(nextId, id => ({
    id,
    status: 'waiting',
    input: { operationName: 'tableOptimize', tableId },
    queueTableId: tableId,
    tableId,
    operationParams: { ...packing },
    createdTime: now().toISOString(),
    runId: null,
    creatorToken: { id: 'system', description: 'Millrace' },
    baseUrl: '',
    requestKey: null,
  }))
  // The job is accepted now. If it cannot be started, what looks after open jobs will start it.
  await startJob(job.id).catch(error => log.error('job not started', { jobId: job.id, error }))
  return job.id
}

const saySkipped = async (
  { tableId, packing: { files, bytes } }: Candidate,
  left: number,
  { events, nextId, bytesPerDay, now, log }: PackServices,
): Promise<void> => {
  const message =
    `${files} files of the table ${tableId} would be worth packing. They have ${bytes} bytes, and of the ${bytesPerDay} ` +
    `bytes of a day (optimizeBytesPerDay) ${left} are left. The table stays as it is until they fit.`
  const params = { files, bytes, left, bytesPerDay }
  log.info('table is not packed', { tableId, reason: message, ...params })
  await events.create(nextId, id => ({
    id,
    ...tableWarning('storage.tableOptimizeSkipped', { tableId, message, params, at: now() }),
    branchId: defaultBranchId,
  }))
}
