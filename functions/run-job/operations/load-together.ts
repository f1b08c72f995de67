import pMap from 'p-map'
import { z } from 'zod'
import { hexDigest } from '../../lib/digests.ts'
import { storedBytes } from '../../lib/distributed/load-limits.ts'
import { UserError } from '../../lib/errors/errors.ts'
import { jobFailure } from '../../lib/storage/jobs/job-errors.ts'
import {
  type InputOf,
  isFinal,
  type JobRecord,
  jobError,
  jobMetrics,
  jobResults,
  type ProcessingJob,
  type WaitingJob,
} from '../../lib/storage/jobs/job-record.ts'
import { type TableRecord, timeAfter } from '../../lib/storage/tables/table-record.ts'
import type { Snapshot } from '../../lib/table-engine/files/snapshot.ts'
import type { SourceLoad } from '../../lib/table-engine/load-together.ts'
import { checkKeyOfTable } from '../../lib/wire/primary-key.ts'
import { logJobEnd } from '../job/log-job.ts'
import { requireRights } from '../job/require-rights.ts'
import type { RunJobServices } from '../job/services.ts'
import { type LoadedContent, type PinnedSource, resolveCsvSource } from './load-file.ts'
import { importResults, type JobLoad, keepHeadings, loadMetrics } from './outcome.ts'

/** One load takes so many files of a table at most, and so many bytes as stored. It is done within a minute. */
const TOGETHER_FILES = 500
const TOGETHER_BYTES = 256 * 1024 ** 2

/** How many jobs behind one in its queue its load may take along. */
export const mostBehind = (job: JobRecord): number => (addsRows(job) ? TOGETHER_FILES : 1)

export type ImportJob<Job extends JobRecord> = Job & { input: InputOf<'tableImport'> }

const addsRows = <Job extends JobRecord>(job: Job): job is ImportJob<Job> =>
  job.input.operationName === 'tableImport' && job.input.incremental

interface JointLoad extends LoadedContent {
  /** Key of the object with what it did for the other jobs. */
  together: string
}

/**
 * Loads the file of a job with those of the jobs behind it in the queue, as one change of the table. `undefined`: there
 * are none, or the job has to be done alone. What is wrong with one of the other files never fails this job.
 *
 * All that it writes lies below a prefix of its own for these very jobs, since another run of the job may take others.
 */
export const loadTogether = async (
  job: ImportJob<ProcessingJob>,
  found: readonly number[],
  { table, services }: { table: TableRecord; services: RunJobServices },
): Promise<JointLoad | undefined> => {
  const behind = await claimBehind(job, found, services)
  if (behind.length === 0) return undefined
  try {
    const first = await sourceOf(job, table, services)
    return await loadAll(first, await sourcesOf(behind, { first, table }, services), table, services)
  } catch (error) {
    // Alone it succeeds, or says what is wrong.
    services.log.error('files not loaded together', { jobId: job.id, error })
    return undefined
  }
}

/**
 * Of the jobs right behind a load in the queue of its table those that can be done with it: they add rows too, each from one file
 * of the service. They end before a job of another kind. From here on nobody else ends them.
 */
const claimBehind = async (
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

const goesTogether = (job: JobRecord): job is ImportJob<WaitingJob> =>
  job.status === 'waiting' && addsRows(job)

/** A file that is to be loaded, with what its job says beside the load. */
interface SourceOfJob<Job> {
  job: Job
  source: PinnedSource
  warnings: string[]
}

/** The load of a waiting job, or why it cannot be done. */
type QueuedLoad = SourceOfJob<WaitingJob> | { job: WaitingJob; refusal: UserError }

/** The file of an import. Throws `UserError`. */
const sourceOf = async <Job extends JobRecord>(
  job: ImportJob<Job>,
  table: TableRecord,
  services: RunJobServices,
): Promise<SourceOfJob<Job>> => {
  const { fileId, csv } = job.input
  const warnings = warningsOfKey(job, table)
  const resolved = await resolveCsvSource({ fileId, csv }, services)
  return { job, source: resolved.source, warnings: [...warnings, ...resolved.warnings] }
}

/** Throws `UserError` where the key that the request names is another one than the table's. */
export const warningsOfKey = ({ input }: ImportJob<JobRecord>, { snapshot }: TableRecord): string[] => {
  const { tableId, incremental, primaryKey = [] } = input
  return checkKeyOfTable({ tableId, tableKey: snapshot.primaryKey, primaryKey, incremental })
}

const READS = 16

/** Finds the files of jobs; as many as one load takes with the first file. */
const sourcesOf = async (
  behind: ImportJob<WaitingJob>[],
  { first, table }: { first: SourceOfJob<ProcessingJob>; table: TableRecord },
  services: RunJobServices,
): Promise<QueuedLoad[]> => {
  const find = async (job: ImportJob<WaitingJob>): Promise<QueuedLoad> => {
    try {
      await requireRights(job, services)
      return await sourceOf(job, table, services)
    } catch (error) {
      if (error instanceof UserError) return { job, refusal: error }
      throw error
    }
  }
  const loads = await pMap(behind, find, { concurrency: READS })
  let bytes = storedBytes(first.source.slices)
  const tooMuch = loads.findIndex(load => {
    bytes += 'source' in load ? storedBytes(load.source.slices) : 0
    return bytes > TOGETHER_BYTES
  })
  return tooMuch === -1 ? loads : loads.slice(0, tooMuch)
}

const loadAll = async (
  first: SourceOfJob<ProcessingJob>,
  queued: QueuedLoad[],
  table: TableRecord,
  services: RunJobServices,
): Promise<JointLoad> => {
  const { tableEngine, now, log } = services
  const { job } = first
  const readable = queued.filter(load => 'source' in load)
  const jobIds = [job.id, ...queued.map(load => load.job.id)]
  const keyPrefix = `tables/${table.internalId}/${job.id}/${hexDigest(jobIds.join(' '), 16)}/`
  const engine = await tableEngine()
  const startedAt = now().getTime()
  const { snapshot, loads, bytesRead } = await engine.loadTogether({
    tableId: job.queueTableId ?? '',
    keyPrefix,
    loadedAt: timeOfLoad(job, table),
    current: table.snapshot,
    sources: [first, ...readable].map(({ source }) => source),
  })
  const seconds = (now().getTime() - startedAt) / 1000
  log.info('Files loaded', { jobId: job.id, tableId: job.queueTableId, files: loads.length, bytesRead })

  const [own, ...others] = loads
  if (!own || 'refusal' in own) throw new Error('The first file of a load is loaded, or its error thrown')
  const loadOf = new Map(others.map((load, index) => [readable[index]?.job.id, load]))
  // Those that the load ended before stay in the queue, and with them all that come after.
  const end = queued.findIndex(load => 'source' in load && !loadOf.has(load.job.id))
  const shared: SharedLoad = {
    startTime: job.startTime,
    others: queued
      .slice(0, end === -1 ? undefined : end)
      .map(load => resultOf(load, loadOf.get(load.job.id), { seconds, snapshot })),
  }
  const together = await writeSharedLoad(keyPrefix, shared, services)
  await keepHeadings(table, own.renamed, services)
  return { snapshot, load: withWarnings({ ...own, durationSeconds: seconds }, first.warnings), together }
}

/** Of its rows, its snapshot and the table. */
export const timeOfLoad = ({ startTime }: ProcessingJob, table: TableRecord): Date =>
  timeAfter(new Date(startTime), table)

export const withWarnings = (load: JobLoad, warnings: string[]): JobLoad => ({
  ...load,
  warnings: [...warnings, ...load.warnings],
})

const resultOf = (
  queued: QueuedLoad,
  load: SourceLoad | undefined,
  { seconds, snapshot }: { seconds: number; snapshot: Snapshot },
): SharedLoad['others'][number] => {
  const { id: jobId } = queued.job
  if ('refusal' in queued) return { jobId, failure: jobFailure(queued.refusal) }
  if (!load) throw new Error(`The load has no result for the job ${jobId}`)
  if ('refusal' in load) return { jobId, failure: jobFailure(load.refusal) }
  const said = withWarnings({ ...load, durationSeconds: seconds }, queued.warnings)
  return { jobId, results: importResults(snapshot, said), metrics: loadMetrics(said) }
}

/** What one load did for the jobs that it took along, beside the one that did it. */
const sharedLoad = z.object({
  /** When it began (ISO 8601). */
  startTime: z.string(),
  others: z.array(
    z.union([
      z.object({ jobId: z.number(), results: jobResults, metrics: jobMetrics }),
      z.object({ jobId: z.number(), failure: z.object({ error: jobError, results: jobResults }) }),
    ]),
  ),
})
type SharedLoad = z.infer<typeof sharedLoad>

/** Writes it below the prefix of the load, under the name of its content. Resolves to its key. */
const writeSharedLoad = async (
  prefix: string,
  shared: SharedLoad,
  { tableContents: { objects } }: RunJobServices,
): Promise<string> => {
  const content = Buffer.from(JSON.stringify(shared))
  const key = `${prefix}together-${hexDigest(content, 32)}.json`
  await objects.write([{ location: objects.locationOf(key), content }])
  return key
}

const ENDS_AT_ONCE = 8

/** Ends the jobs that a load took along, each with its own result. Those that have ended are passed over. */
export const endTogether = async (key: string, services: RunJobServices): Promise<number[]> => {
  const { jobs, now, tableContents } = services
  const { objects } = tableContents
  const text = Buffer.from(await objects.read(objects.locationOf(key))).toString('utf8')
  const { startTime, others } = sharedLoad.parse(JSON.parse(text))
  const ids = others.map(({ jobId }) => jobId)
  const found = await jobs.getMany(ids)
  const byId = new Map(others.map(other => [other.jobId, other]))
  const end = async (job: JobRecord): Promise<void> => {
    const other = byId.get(job.id)
    if (!other || isFinal(job)) return
    const done = 'failure' in other ? other.failure : { startTime, outcome: other }
    const ended = await jobs.endAlong(job, now(), done)
    if (isFinal(ended)) logJobEnd(ended, services)
  }
  await pMap(found, end, { concurrency: ENDS_AT_ONCE })
  return ids
}
