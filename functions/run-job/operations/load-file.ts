import type { S3Client } from '@aws-sdk/client-s3'
import pMap from 'p-map'
import type { AskedWait } from '../../lib/asked-wait.ts'
import type { SourceObject } from '../../lib/cloud/multipart/source-object.ts'
import type { LoadDocuments } from '../../lib/distributed/load-documents.ts'
import { storedBytes } from '../../lib/distributed/load-limits.ts'
import { type LoadPlace, loadPrefix } from '../../lib/distributed/load-place.ts'
import { refusalError } from '../../lib/distributed/refusal.ts'
import { UserError } from '../../lib/errors/errors.ts'
import { EXTRACTED_TAG } from '../../lib/storage/files/extracted-tag.ts'
import { listSlices, nameColumns } from '../../lib/storage/files/list-slices.ts'
import type { CsvOptions, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { sanitizeColumnName } from '../../lib/table-engine/csv/column-names.ts'
import { parseCsvDialect } from '../../lib/table-engine/csv/csv-dialect.ts'
import { openFile } from '../../lib/table-engine/csv/open-file.ts'
import { parseRecords } from '../../lib/table-engine/csv/parse-records.ts'
import { type CsvChunk, splitCsv } from '../../lib/table-engine/csv/split-csv.ts'
import type { CsvSource } from '../../lib/table-engine/files/load-request.ts'
import { type Snapshot, type TableFile, withFiles } from '../../lib/table-engine/files/snapshot.ts'
import { namedSource } from '../../lib/table-engine/parquet/parquet-source.ts'
import { readObject } from '../../lib/table-engine/read-object.ts'
import { createFileMissing } from '../../lib/table-engine/s3-table-files.ts'
import { tellNowAndThen } from '../../lib/tell-now-and-then.ts'
import { correlationIdOf } from '../job/log-job.ts'
import type { RunJobServices } from '../job/services.ts'
import { mergeOutgrown, outgrowsMerge } from '../merge/merge-outgrown.ts'
import { type JobLoad, keepHeadings } from './outcome.ts'

/** A source whose slices are pinned to their content. */
export interface PinnedSource extends CsvSource {
  slices: SourceObject[]
}

interface LoadTarget {
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
  /** With a time its rows are staged, and an engine merges them. */
  readonly asked: { load: LoadPlace } | AskedWait

  constructor(asked: { load: LoadPlace } | AskedWait) {
    super('The load outgrows one function')
    this.asked = asked
  }
}

interface LoadFileRequest extends LoadTarget {
  fileId: number
  csv: CsvOptions
}

/**
 * Makes the new snapshot of a job's table from its file, as files below `tables/<internal id>/<job id>/`.
 * Nobody sees them yet: the caller moves the head of the table (`moveHead` of an import), or inserts it (`insertTable`).
 *
 * Time and prefix depend only on the job and its table, so a repeated run writes the same objects. Throws `OutgrownLoad` when the machine
 * has to stage the rows first.
 */
export const loadFile = async (
  job: ProcessingJob,
  { internalId, fileId, csv, ...request }: LoadFileRequest,
  services: RunJobServices,
): Promise<LoadedContent> => {
  const { tableEngine, now, log } = services
  const { source, warnings } = await resolveCsvSource({ fileId, csv }, services)
  if (storedBytes(source.slices) > services.distribution.singleLoadBytes) {
    const read = (await nameColumns(source.slices)) ? namedSource(source) : source
    return loadOutgrown(job, { ...request, internalId, source: read, warnings }, services)
  }

  const engine = await tableEngine()
  const startedAt = now().getTime()
  const told = tellNowAndThen(async (rows: number) => {
    await services.jobs
      .noteProgress(job.id, { rows }, now())
      .catch(error => log.warn('rows not noted', { jobId: job.id, error }))
  })
  const result = await engine
    .load({
      ...request,
      keyPrefix: `tables/${internalId}/${job.id}/`,
      source,
      onRows: told.say,
    })
    .finally(told.settled)
  await keepHeadings({ internalId }, result.renamed, services)
  log.info('File loaded', { jobId: job.id, tableId: request.tableId, bytesRead: result.bytesRead })
  const durationSeconds = (now().getTime() - startedAt) / 1000
  const load = { ...result, warnings: [...warnings, ...result.warnings], durationSeconds }
  return { snapshot: result.snapshot, load }
}

/**
 * Where the data of a load is: the object of a file resource, or the slices of its manifest. With what its job says of it.
 *
 * Errors: `storage.files.notFound`, `storage.fileNotUploaded`, those of the manifest.
 */
export const resolveCsvSource = async (
  { fileId, csv }: { fileId: number; csv: CsvOptions },
  { files, s3, filesBucket }: Pick<RunJobServices, 'files' | 's3' | 'filesBucket'>,
): Promise<{ source: PinnedSource; warnings: string[] }> => {
  const file = await files.getReadable(fileId)
  if (!file) throw new UserError('storage.files.notFound', `The file ${fileId} was not found.`)
  const { key, isSliced } = file
  const notUploaded = (_: string, cause: Error): UserError =>
    new UserError(
      'storage.fileNotUploaded',
      `The file ${fileId} was prepared but not uploaded. Upload it to the place that files/prepare named, then import it.`,
      { cause },
    )
  const place = { s3, bucket: filesBucket, key, isSliced }
  const slices = await listSlices(place, isSliced ? createFileMissing : notUploaded)
  return skipNamedHeader({ ...csv, isSliced, slices, hidesCells: file.tags.includes(EXTRACTED_TAG) }, s3)
}

const namedHeaderWarning =
  'The first line of the file holds the names in "columns", so it was read as the header and is not among the rows.'

/**
 * The source of a load, with its first line left out where that is a header.
 *
 * A request that names the columns says that its file has no header. Some clients send the names with a file that begins
 * with them all the same, and mean a header. So a first record that holds exactly these names, made valid, is one, on the
 * day that makes the table and on each later one.
 */
const skipNamedHeader = async <Source extends CsvSource>(
  source: Source,
  s3: S3Client,
): Promise<{ source: Source; warnings: string[] }> => {
  const lines = await linesOfNamedHeader(source, s3)
  if (lines === 0) return { source, warnings: [] }
  return { source: { ...source, ignoredLinesCount: lines }, warnings: [namedHeaderWarning] }
}

const linesOfNamedHeader = async (source: CsvSource, s3: S3Client): Promise<number> => {
  const { isSliced, columns: names = [], withoutHeaders, ignoredLinesCount, slices } = source
  // Slices never have one, and who says how the file begins is believed.
  if (isSliced || names.length === 0 || withoutHeaders || ignoredLinesCount || !slices[0]) return 0
  const dialect = parseCsvDialect(source)
  const first = await firstRecord(slices[0], dialect, s3)
  const [found = []] = first ? parseRecords(first.bytes, dialect) : []
  const isHeader =
    found.length === names.length &&
    found.every((cell, index) => sanitizeColumnName(cell) === sanitizeColumnName(names[index] ?? ''))
  // A name in quotes may hold line breaks.
  return first && isHeader ? first.bytes.filter(byte => byte === LINE_FEED).length : 0
}

const LINE_FEED = 0x0a

const firstRecord = async (
  object: CsvSource['slices'][number],
  dialect: ReturnType<typeof parseCsvDialect>,
  s3: S3Client,
): Promise<CsvChunk | undefined> => {
  try {
    const { bytes, form, close } = await openFile(readObject(s3, object))
    if (form === 'csv')
      for await (const chunk of splitCsv(bytes, { dialect, chunkBytes: 1, hasHeader: true })) return chunk
    else await close()
  } catch (error) {
    // What is wrong with the file the load itself will say, with the line.
    if (!(error instanceof UserError)) throw error
  }
  return undefined
}

/**
 * Makes the new snapshot of a table from what the machine has staged. Throws `OutgrownLoad` when it has not, the refusal
 * of the step that found something wrong, and those of {@link mergeOutgrown}.
 */
const loadOutgrown = async (
  job: ProcessingJob,
  request: OutgrownRequest,
  services: RunJobServices,
): Promise<LoadedContent> => {
  const { distribution, now, log } = services
  const { internalId, tableId } = request
  const place = { internalId, jobId: job.id }
  const ready = await readStaged(distribution.documents, place)
  if (!ready) {
    await askForStaging(job, request, services)
    throw new OutgrownLoad({ load: { ...place, correlationId: correlationIdOf(job) } })
  }
  const { snapshot, replacedRowsCount } = await commit(place, { ready, request }, services)
  await keepHeadings(request, ready.renamed, services)
  log.info('Load committed', { jobId: job.id, tableId, stagedFiles: ready.staged.length })
  const durationSeconds = (now().getTime() - Date.parse(job.startTime)) / 1000
  return { snapshot, load: { ...ready, replacedRowsCount, durationSeconds } }
}

/** Writes what the steps of the machine need to know. */
const askForStaging = async (
  job: ProcessingJob,
  { internalId, current, source: { slices, ...source }, loadedAt, ...request }: OutgrownRequest,
  { distribution }: RunJobServices,
): Promise<void> =>
  distribution.documents.write({ internalId, jobId: job.id }, 'request', {
    ...request,
    current: current && withFiles(current, []),
    source: {
      ...source,
      slices: slices.map(({ bucket, key, etag, bytes }) => ({ bucket, key, etag, bytes })),
    },
    loadedAt: loadedAt.toISOString(),
  })

const commit = async (
  place: LoadPlace,
  { ready, request }: { ready: ReadyLoad; request: OutgrownRequest },
  services: RunJobServices,
): Promise<{ snapshot: Snapshot; replacedRowsCount: number }> => {
  const { current, incremental, loadedAt } = request
  // The job has held the table since it was cut: nobody else has changed its columns.
  const table = withFiles(ready.table, incremental ? (current?.files ?? []) : [])
  const { staged } = ready
  if (outgrowsMerge(table, staged, services.distribution)) {
    const merged = await mergeOutgrown({ place, table, staged, loadedAt }, services)
    if ('waitSeconds' in merged) throw new OutgrownLoad(merged)
    return { snapshot: withFiles(table, merged.files), replacedRowsCount: merged.replacedRowsCount }
  }
  const keyPrefix = `${loadPrefix(place)}commit/`
  return (await services.tableEngine()).commitStaged({ table, staged, incremental, keyPrefix })
}

type ReadyLoad = NonNullable<Awaited<ReturnType<typeof readStaged>>>

const READS = 16

/**
 * What the machine has staged for a load; `undefined` when it has not, or not to the end. Throws the first `UserError`
 * in the order of the data when the load cannot be done.
 */
const readStaged = async (documents: LoadDocuments, place: LoadPlace) => {
  const folded = await documents.find(place, 'folded')
  if (!folded) return undefined
  if ('refusal' in folded) throw refusalError(folded.refusal)
  const request = await documents.read(place, 'request')
  const cut = await documents.read(place, 'cut')
  if (!('files' in cut)) throw new Error('A load that is folded has been cut')
  const parts = await pMap(folded.groups, (_, item) => documents.find(place, 'staged', item), {
    concurrency: READS,
  })
  const staged: TableFile[] = []
  /** How far the records of each file are staged. */
  const ends = cut.files.map(({ start }) => start.offset)
  for (const [item, part] of parts.entries()) {
    if (!part) return undefined
    if ('refusal' in part) throw refusalError(part.refusal)
    staged.push(...part.files)
    for (const [index, span] of part.spans.entries()) {
      const file = folded.groups[item]?.[index]?.file ?? -1
      if (span && span.start !== ends[file])
        throw new Error(`Byte ${ends[file]} of file ${file} is not staged.`)
      if (span) ends[file] = span.end
    }
  }
  if (cut.refusal) throw refusalError(cut.refusal)
  const { table, importedColumns, renamed = [], warnings, inBytes, isCompressed } = cut
  return {
    /** In the order of the load. */
    staged,
    /** With the columns that it has after the load, without its files. */
    table,
    importedColumns,
    importedRowsCount: staged.reduce((sum, { rows }) => sum + rows, 0),
    renamed,
    warnings: [...request.warnings, ...warnings],
    inBytes,
    isCompressed,
  }
}
