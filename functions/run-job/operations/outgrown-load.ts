import pMap from 'p-map'
import type { SourceObject } from '../../lib/cloud/multipart/source-object.ts'
import type { LoadDocuments, StagedLoad } from '../../lib/distributed/load-documents.ts'
import { type LoadPlace, loadPrefix } from '../../lib/distributed/load-place.ts'
import { refusalError } from '../../lib/distributed/refusal.ts'
import type { ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import type { RenamedColumn } from '../../lib/table-engine/csv/map-columns.ts'
import type { CsvSource } from '../../lib/table-engine/files/load-request.ts'
import { type Snapshot, withFiles } from '../../lib/table-engine/files/snapshot.ts'
import { correlationIdOf } from '../job/log-job.ts'
import type { RunJobServices } from '../job/services.ts'
import { mergeOutgrown, outgrowsMerge } from '../merge/merge-outgrown.ts'
import { keepHeadings } from './keep-headings.ts'
import type { JobLoad } from './outcome.ts'

/** A source whose slices are pinned to their content. */
export interface PinnedSource extends CsvSource {
  slices: SourceObject[]
}

export interface LoadTarget {
  /** Of its rows. */
  loadedAt: Date
  tableId: string
  internalId: number
  current: Snapshot | undefined
  primaryKey: string[]
  incremental: boolean
  inferredColumns?: string[]
}

interface OutgrownRequest extends LoadTarget {
  source: PinnedSource
  warnings: string[]
}

/** The new content of a table. */
export interface LoadedContent {
  snapshot: Snapshot
  load: JobLoad
}

/** A load whose rows the job machine has to stage before its job can commit them. Passes through every operation. */
export class OutgrownLoad extends Error {
  override readonly name = 'OutgrownLoad'
  readonly load: LoadPlace
  /** Its rows are staged, and an engine merges them: look again after this time. */
  readonly waitSeconds: number | undefined

  constructor(load: LoadPlace, waitSeconds?: number) {
    super('The load outgrows one function')
    this.load = load
    this.waitSeconds = waitSeconds
  }
}

/**
 * Makes the new snapshot of a table from what the machine has staged. Throws `OutgrownLoad` when it has not, the refusal
 * of the step that found something wrong, and those of {@link mergeOutgrown}.
 */
export const loadOutgrown = async (
  job: ProcessingJob,
  request: OutgrownRequest,
  services: RunJobServices,
): Promise<LoadedContent> => {
  const { distribution, now, log } = services
  const place = { internalId: request.internalId, jobId: job.id }
  const ready = await readStaged(distribution.documents, place)
  if (!ready) {
    await askForStaging(job, request, services)
    throw new OutgrownLoad({ ...place, correlationId: correlationIdOf(job) })
  }
  const { snapshot, replacedRowsCount } = await commit(place, { ready, request }, services)
  await keepHeadings(request, ready.renamed, services)
  log.info('Load committed', {
    jobId: job.id,
    tableId: request.tableId,
    stagedFiles: ready.staged.files.length,
  })
  const durationSeconds = (now().getTime() - Date.parse(job.startTime)) / 1000
  return { snapshot, load: { ...ready, replacedRowsCount, durationSeconds } }
}

/** Writes what the steps of the machine need to know. */
const askForStaging = async (
  job: ProcessingJob,
  { internalId, current, source: { slices, ...source }, ...request }: OutgrownRequest,
  { distribution }: RunJobServices,
): Promise<void> => {
  const { tableId, primaryKey, incremental, inferredColumns, warnings, loadedAt } = request
  await distribution.documents.write({ internalId, jobId: job.id }, 'request', {
    tableId,
    primaryKey,
    incremental,
    inferredColumns,
    warnings,
    current: current && withFiles(current, []),
    source: {
      ...source,
      slices: slices.map(({ bucket, key, etag, bytes }) => ({ bucket, key, etag, bytes })),
    },
    loadedAt: loadedAt.toISOString(),
  })
}

const commit = async (
  place: LoadPlace,
  { ready, request }: { ready: ReadyLoad; request: OutgrownRequest },
  services: RunJobServices,
): Promise<{ snapshot: Snapshot; replacedRowsCount: number }> => {
  const { current, incremental, loadedAt } = request
  // The job has held the table since it was cut: nobody else has changed its columns.
  const table = withFiles(ready.table, incremental ? (current?.files ?? []) : [])
  const staged = ready.staged.files
  if (outgrowsMerge(table, staged, services.distribution)) {
    const merged = await mergeOutgrown({ place, table, staged, loadedAt }, services)
    if ('waitSeconds' in merged) throw new OutgrownLoad(place, merged.waitSeconds)
    return { snapshot: withFiles(table, merged.files), replacedRowsCount: merged.replacedRowsCount }
  }
  const engine = await services.tableEngine()
  return engine.commitStaged({
    table,
    staged,
    incremental,
    keyPrefix: `${loadPrefix(place)}commit/`,
  })
}

/** A load whose rows are staged, and what its job will report. */
interface ReadyLoad {
  staged: StagedLoad
  /** The table with the columns that it has after the load, without its files. */
  table: Snapshot
  importedColumns: string[]
  importedRowsCount: number
  renamed: RenamedColumn[]
  warnings: string[]
  inBytes: number
  isCompressed: boolean
}

const READS = 16

/**
 * What the machine has staged for a load; `undefined` when it has not, or not to the end. Throws the first `UserError`
 * in the order of the data when the load cannot be done.
 */
const readStaged = async (documents: LoadDocuments, place: LoadPlace): Promise<ReadyLoad | undefined> => {
  const folded = await documents.find(place, 'folded')
  if (!folded) return undefined
  if ('refusal' in folded) throw refusalError(folded.refusal)
  const request = await documents.read(place, 'request')
  const cut = await documents.read(place, 'cut')
  if (!('files' in cut)) throw new Error('A load that is folded has been cut')
  const parts = await pMap(folded.groups, (_, item) => documents.find(place, 'staged', item), {
    concurrency: READS,
  })
  const files: StagedLoad['files'] = []
  /** How far the records of each file are staged. */
  const ends = cut.files.map(({ start }) => start.offset)
  for (const [item, part] of parts.entries()) {
    if (!part) return undefined
    if ('refusal' in part) throw refusalError(part.refusal)
    files.push(...part.files)
    for (const [index, span] of part.spans.entries()) {
      const file = folded.groups[item]?.[index]?.file ?? -1
      if (span && span.start !== ends[file])
        throw new Error(`Byte ${ends[file]} of file ${file} is not staged.`)
      if (span) ends[file] = span.end
    }
  }
  if (cut.refusal) throw refusalError(cut.refusal)
  const { table, importedColumns, renamed = [], warnings, inBytes, isCompressed } = cut
  const { tableId, incremental } = request
  return {
    staged: { jobId: place.jobId, tableId, fields: table.fields, files, incremental },
    table,
    importedColumns,
    importedRowsCount: files.reduce((sum, { rows }) => sum + rows, 0),
    renamed,
    warnings: [...request.warnings, ...warnings],
    inBytes,
    isCompressed,
  }
}
