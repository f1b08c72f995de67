import { hexDigest } from '../../lib/digests.ts'
import { UserError } from '../../lib/errors/errors.ts'
import { jobFailure } from '../../lib/storage/jobs/job-errors.ts'
import type { InputOf, ProcessingJob, WaitingJob } from '../../lib/storage/jobs/job-record.ts'
import { inferredColumns } from '../../lib/storage/tables/table-definition.ts'
import { tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import { type TableRecord, timeAfter } from '../../lib/storage/tables/table-record.ts'
import type { Snapshot } from '../../lib/table-engine/files/snapshot.ts'
import type { SourceLoad } from '../../lib/table-engine/load-together.ts'
import { checkKeyOfTable } from '../../lib/wire/primary-key.ts'
import { parseTableId } from '../../lib/wire/storage-ids.ts'
import type { RunJobServices } from '../job/services.ts'
import { contentOfFile } from './create-table.ts'
import { insertTable } from './insert-table.ts'
import { keepHeadings } from './keep-headings.ts'
import { loadFile } from './load-file.ts'
import { importResults, type JobLoad, loadMetrics, type Outcome } from './outcome.ts'
import type { LoadedContent } from './outgrown-load.ts'
import {
  claimLoadsBehind,
  type ImportJob,
  importSource,
  type QueuedLoad,
  queuedLoads,
  type SourceOfJob,
} from './queued-loads.ts'
import { replaceHead } from './replace-head.ts'
import { type SharedLoad, writeSharedLoad } from './shared-load.ts'

/**
 * Loads a file into a table: writes new files, then replaces the head on condition that it has not changed. A load that
 * adds rows takes the files along that wait behind it (see {@link loadWithQueued}).
 */
export const importTable = async (
  job: ProcessingJob,
  input: InputOf<'tableImport'>,
  services: RunJobServices,
  behind: readonly number[],
): Promise<Outcome> => {
  // Together they are one read, and the file is known to whoever asks for it later.
  const [table] = await Promise.all([
    services.tables.get(input.tableId),
    services.files.getReadable(input.fileId),
  ])
  const place = parseTableId(input.tableId)
  if (!table && place && input.creates) {
    const created = { ...place, ...input.creates }
    const {
      table: head,
      load,
      inserted,
    } = await insertTable(job, created, services, () => contentOfFile(job, input, services))
    return { results: importResults(head.snapshot, load), metrics: loadMetrics(load), ...inserted }
  }
  if (!table) throw tableNotFound(input.tableId, services.projectId)
  const joint = await loadWithQueued({ ...job, input }, behind, { table, services })
  const { snapshot, load } = joint ?? (await loadAlone({ ...job, input }, table, services))
  const at = timeOfLoad(job, table).toISOString()
  const loaded = { ...table, snapshot, lastJobId: job.id, lastImportDate: at, lastChangeDate: at }
  return {
    results: importResults(snapshot, load),
    metrics: loadMetrics(load),
    decide: replaceHead(loaded, services, { before: table }),
    ...(joint && { rest: { internalId: table.internalId, together: joint.together } }),
  }
}

/** Of its rows, its snapshot and the table. */
const timeOfLoad = ({ startTime }: ProcessingJob, table: TableRecord): Date =>
  timeAfter(new Date(startTime), table)

const loadAlone = async (
  job: ImportJob<ProcessingJob>,
  table: TableRecord,
  services: RunJobServices,
): Promise<LoadedContent> => {
  const { internalId, snapshot: current, definition } = table
  const { tableId, fileId, csv, incremental, primaryKey = [] } = job.input
  const tableKey = current.primaryKey
  const warnings = checkKeyOfTable({ tableId, tableKey, primaryKey, incremental })
  const inferred = inferredColumns(definition, current)
  const { snapshot, load } = await loadFile(
    job,
    {
      tableId,
      internalId,
      current,
      primaryKey: tableKey,
      incremental,
      inferredColumns: inferred,
      fileId,
      csv,
      loadedAt: timeOfLoad(job, table),
    },
    services,
  ).catch((error: unknown) => {
    throw adviseOnInferred(error, inferred)
  })
  return { snapshot, load: withWarnings(load, warnings) }
}

/** A value that does not fit a type which nobody declared: what to do about it. */
const adviseOnInferred = (error: unknown, inferred: string[]): unknown => {
  if (!(error instanceof UserError) || !inferred.includes(String(error.params?.['column']))) return error
  const advice =
    'The type came with an earlier load: mend the value, or replace all rows by a file of Parquet or with types=detect, which brings new types.'
  return new UserError(error.code, `${error.message} ${advice}`, { cause: error, params: error.params })
}

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
const loadWithQueued = async (
  job: ImportJob<ProcessingJob>,
  found: readonly number[],
  { table, services }: { table: TableRecord; services: RunJobServices },
): Promise<JointLoad | undefined> => {
  // Alone it succeeds, or says what is wrong.
  const goAlone = (error: unknown): undefined => {
    services.log.error('files not loaded together', { jobId: job.id, error })
  }
  const behind = await claimLoadsBehind(job, found, services)
  if (behind.length === 0) return undefined
  return findLoads(job, behind, { table, services })
    .then(loads => loadAll(loads, table, services))
    .catch(goAlone)
}

interface FoundLoads {
  first: SourceOfJob<ProcessingJob>
  queued: QueuedLoad[]
}

const findLoads = async (
  job: ImportJob<ProcessingJob>,
  behind: ImportJob<WaitingJob>[],
  { table, services }: { table: TableRecord; services: RunJobServices },
): Promise<FoundLoads> => {
  const first = await importSource(job, table, services)
  return { first, queued: await queuedLoads(behind, { first, table }, services) }
}

const loadAll = async (
  { first, queued }: FoundLoads,
  table: TableRecord,
  services: RunJobServices,
): Promise<JointLoad> => {
  const { tableEngine, now, log } = services
  const { job } = first
  const readable = queued.filter(load => 'source' in load)
  const jobIds = [job.id, ...queued.map(load => load.job.id)]
  const keyPrefix = `tables/${table.internalId}/${job.id}/${digest(jobIds)}/`
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
  const load = withWarnings({ ...own, durationSeconds: seconds }, first.warnings)
  return { snapshot, load, together }
}

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

const withWarnings = (load: JobLoad, warnings: string[]): JobLoad => ({
  ...load,
  warnings: [...warnings, ...load.warnings],
})

const digest = (jobIds: number[]): string => hexDigest(jobIds.join(' '), 16)
