import pMap from 'p-map'
import { storedBytes } from '../../lib/distributed/load-limits.ts'
import { UserError } from '../../lib/errors/errors.ts'
import type { InputOf, JobRecord, ProcessingJob, WaitingJob } from '../../lib/storage/jobs/job-record.ts'
import type { TableRecord } from '../../lib/storage/tables/table-record.ts'
import { checkKeyOfTable } from '../../lib/wire/primary-key.ts'
import { requireRights } from '../job/require-rights.ts'
import type { RunJobServices } from '../job/services.ts'
import { resolveCsvSource } from './load-file.ts'
import type { PinnedSource } from './outgrown-load.ts'

/** One load takes so many files of a table at most, and so many bytes as stored. It is done within a minute. */
export const TOGETHER_FILES = 500
const TOGETHER_BYTES = 256 * 1024 ** 2

/** A file that is to be loaded, with what its job says beside the load. */
export interface SourceOfJob<Job> {
  job: Job
  source: PinnedSource
  warnings: string[]
}

/** The load of a waiting job, or why it cannot be done. */
export type QueuedLoad = SourceOfJob<WaitingJob> | { job: WaitingJob; refusal: UserError }

export type ImportJob<Job extends JobRecord> = Job & { input: InputOf<'tableImport'> }

const READS = 16

/** The file of an import. Throws `UserError`. */
export const importSource = async <Job extends JobRecord>(
  job: ImportJob<Job>,
  table: TableRecord,
  services: RunJobServices,
): Promise<SourceOfJob<Job>> => {
  const { tableId, fileId, csv, incremental, primaryKey = [] } = job.input
  const { primaryKey: tableKey } = table.snapshot
  const warnings = checkKeyOfTable({ tableId, tableKey, primaryKey, incremental })
  const resolved = await resolveCsvSource({ fileId, csv }, services)
  return { job, source: resolved.source, warnings: [...warnings, ...resolved.warnings] }
}

/**
 * Of the jobs right behind a load in the queue of its table those that can be done with it: they add rows too, each from one file
 * of the service. They end before a job of another kind. From here on nobody else ends them.
 */
export const claimLoadsBehind = async (
  { id, queueTableId }: ProcessingJob,
  found: readonly number[],
  { queue, jobs }: RunJobServices,
): Promise<ImportJob<WaitingJob>[]> => {
  if (queueTableId === null) return []
  const behind = await jobs.getMany(found)
  const end = behind.findIndex(job => !goesTogether(job))
  const ids = behind.slice(0, end === -1 ? undefined : end).map(job => job.id)
  if (ids.length === 0 || !(await queue.claim(queueTableId, id, ids))) return []
  // Some may have ended before they were claimed.
  return (await jobs.getMany(ids)).filter(goesTogether)
}

/** Finds the files of jobs; as many as one load takes with the first file. */
export const queuedLoads = async (
  behind: ImportJob<WaitingJob>[],
  { first, table }: { first: SourceOfJob<ProcessingJob>; table: TableRecord },
  services: RunJobServices,
): Promise<QueuedLoad[]> => {
  const loads = await pMap(
    behind,
    async (job): Promise<QueuedLoad> => {
      try {
        await requireRights(job, services)
        return await importSource(job, table, services)
      } catch (error) {
        if (error instanceof UserError) return { job, refusal: error }
        throw error
      }
    },
    { concurrency: READS },
  )
  let bytes = storedBytes(first.source.slices)
  const tooMuch = loads.findIndex(load => {
    bytes += 'source' in load ? storedBytes(load.source.slices) : 0
    return bytes > TOGETHER_BYTES
  })
  return tooMuch === -1 ? loads : loads.slice(0, tooMuch)
}

const goesTogether = (job: JobRecord): job is ImportJob<WaitingJob> =>
  job.status === 'waiting' && addsRows(job)

export const addsRows = <Job extends JobRecord>(job: Job): job is ImportJob<Job> =>
  job.input.operationName === 'tableImport' && job.input.incremental
