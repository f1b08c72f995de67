import type { SourceObject } from '../../lib/aws/multipart/source-object.ts'
import { type LoadPlace, loadPrefix } from '../../lib/distributed/load-place.ts'
import { type ReadyLoad, readStaged } from '../../lib/distributed/read-staged.ts'
import { UserError } from '../../lib/errors/errors.ts'
import { ofBranch } from '../../lib/storage/db/branch-id.ts'
import { branchOf, type ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import type { TableLoad } from '../../lib/storage/tables/table-record.ts'
import type { CsvSource } from '../../lib/table-engine/files/load-request.ts'
import { type Snapshot, withFiles } from '../../lib/table-engine/files/snapshot.ts'
import type { Distribution } from '../job/distribution.ts'
import { correlationIdOf } from '../job/log-job.ts'
import type { RunJobServices } from '../job/services.ts'
import type { NewTable } from './insert-table.ts'
import { tableLoad } from './outcome.ts'

/** A source whose slices are pinned to their content. */
export interface PinnedSource extends CsvSource {
  slices: SourceObject[]
}

interface OutgrownRequest {
  tableId: string
  internalId: number
  current: Snapshot | undefined
  primaryKey: string[]
  incremental: boolean
  source: PinnedSource
  warnings: string[]
  /** The names of the table that the load creates. */
  newTable?: NewTable | undefined
  /** What the caller of the load says beside its own warnings. A merge by Athena moves the head for it. */
  tableWarnings?: string[] | undefined
}

/** The new content of a table. */
export interface LoadedContent {
  snapshot: Snapshot
  load: TableLoad
  /** Of a table that Athena has made: the metadata file that holds the snapshot already. */
  metadataKey?: string | undefined
}

/** A load whose rows the job machine has to stage before its job can commit them. Passes through every operation. */
export class OutgrownLoad extends Error {
  override readonly name = 'OutgrownLoad'
  readonly load: LoadPlace

  constructor(load: LoadPlace) {
    super('The load outgrows one function')
    this.load = load
  }
}

/** Work that Athena has to do: a load whose rows are staged, or a table whose files are packed. Passes through every operation. */
export class QueryMerge extends Error {
  override readonly name = 'QueryMerge'

  constructor() {
    super('The work is done by a query')
  }
}

/**
 * Makes the new snapshot of a table from what the machine has staged. Throws `OutgrownLoad` when it has not, the refusal
 * of the step that found something wrong, `QueryMerge` when one function cannot merge it, and `UserError`
 * `storage.load.mergeTooLarge` where there is no Athena.
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
  if (outgrowsOneMerge(ready, request, distribution)) return mergeByQuery(job, { ready, request }, services)
  const { snapshot, replacedRowsCount } = await commit(place, { ready, request }, services)
  log.info('Load committed', {
    jobId: job.id,
    tableId: request.tableId,
    stagedFiles: ready.staged.files.length,
  })
  const durationSeconds = (now().getTime() - Date.parse(job.startTime)) / 1000
  return { snapshot, load: tableLoad(job.id, { ...ready, replacedRowsCount }, durationSeconds) }
}

/** Writes what the steps of the machine need to know. */
const askForStaging = async (
  job: ProcessingJob,
  { internalId, current, source: { slices, ...source }, ...request }: OutgrownRequest,
  { distribution }: RunJobServices,
): Promise<void> => {
  const { tableId, primaryKey, incremental, warnings } = request
  await distribution.documents.write({ internalId, jobId: job.id }, 'request', {
    tableId,
    primaryKey,
    incremental,
    warnings,
    current: current && withFiles(current, []),
    source: {
      ...source,
      slices: slices.map(({ bucket, key, etag, bytes }) => ({ bucket, key, etag, bytes })),
    },
    loadedAt: job.startTime,
  })
}

const commit = async (
  place: LoadPlace,
  { ready, request: { current, incremental } }: { ready: ReadyLoad; request: OutgrownRequest },
  { tableEngine }: RunJobServices,
): Promise<{ snapshot: Snapshot; replacedRowsCount: number }> => {
  const { staged, table } = ready
  // The job has held the table since it was cut: nobody else has changed its columns.
  const kept = incremental ? (current?.files ?? []) : []
  const engine = await tableEngine()
  return engine.commitStaged({
    table: withFiles(table, kept),
    staged: staged.files,
    incremental,
    keyPrefix: `${loadPrefix(place)}commit/`,
  })
}

/** A merge reads the keys of the table, and the staged rows whole. */
const TABLE_FACTOR = 5

const bytesOf = (files: Snapshot['files'] = []): number =>
  files.reduce((bytes, file) => bytes + file.bytes, 0)

const outgrowsOneMerge = (
  { staged, table }: ReadyLoad,
  { current, incremental }: OutgrownRequest,
  { singleMergeBytes }: Distribution,
): boolean =>
  table.primaryKey.length > 0 &&
  (bytesOf(staged.files) > singleMergeBytes ||
    bytesOf(incremental ? current?.files : []) > TABLE_FACTOR * singleMergeBytes)

/**
 * What Athena has made of a load that creates its table. Otherwise notes what it has to merge, and throws `QueryMerge`:
 * the rows of a table that is there become visible before the job comes back.
 */
const mergeByQuery = async (
  job: ProcessingJob,
  { ready, request }: { ready: ReadyLoad; request: OutgrownRequest },
  { stagedMerges, tableContents, distribution, now }: RunJobServices,
): Promise<LoadedContent> => {
  if (!stagedMerges) throw mergeTooLarge(ready, distribution)
  const { newTable, tableWarnings = [] } = request
  const durationSeconds = (now().getTime() - Date.parse(job.startTime)) / 1000
  const load = tableLoad(job.id, ready, durationSeconds)
  const { lastFieldId, primaryKey } = ready.table
  const adopted = newTable && (await stagedMerges.readAdopted(job.id))
  if (adopted) {
    const files = await tableContents.files(adopted.metadataKey)
    const snapshot = withFiles(ready.table, files)
    const replacedRowsCount = ready.importedRowsCount - snapshot.rowsCount
    return { snapshot, load: { ...load, replacedRowsCount }, metadataKey: adopted.metadataKey }
  }
  await stagedMerges.writeStaged(ready.staged, {
    lastFieldId,
    primaryKey,
    ...ofBranch(branchOf(job)),
    ...(newTable && { newTable }),
    lastLoad: { ...load, warnings: [...tableWarnings, ...load.warnings] },
    loadedAt: job.startTime,
  })
  throw new QueryMerge()
}

const mergeTooLarge = ({ staged }: ReadyLoad, { singleMergeBytes }: Distribution): UserError => {
  const stagedBytes = bytesOf(staged.files)
  return new UserError(
    'storage.load.mergeTooLarge',
    `The load has ${stagedBytes} bytes as Parquet, and one function merges ${singleMergeBytes} by primary key. Athena merges ` +
      'more when "distributed" is true in the stack configuration: set it and deploy again, or load the data in several files.',
    { params: { stagedBytes, singleMergeBytes } },
  )
}
