import type { S3Client } from '@aws-sdk/client-s3'
import { storedBytes } from '../../lib/distributed/load-limits.ts'
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
import { namedSource } from '../../lib/table-engine/parquet/parquet-source.ts'
import { readObject } from '../../lib/table-engine/read-object.ts'
import { createFileMissing } from '../../lib/table-engine/s3-table-files.ts'
import { tellNowAndThen } from '../../lib/tell-now-and-then.ts'
import type { RunJobServices } from '../job/services.ts'
import { keepHeadings } from './keep-headings.ts'
import { type LoadedContent, type LoadTarget, loadOutgrown, type PinnedSource } from './outgrown-load.ts'

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
  const lines = mayHaveHeader(source) ? await linesOfNamedHeader(source, s3) : 0
  if (lines === 0) return { source, warnings: [] }
  return { source: { ...source, ignoredLinesCount: lines }, warnings: [namedHeaderWarning] }
}

/** Slices never have one, and who says how the file begins is believed. */
const mayHaveHeader = ({ isSliced, columns, withoutHeaders, ignoredLinesCount }: CsvSource): boolean =>
  !isSliced && columns !== undefined && columns.length > 0 && !withoutHeaders && !ignoredLinesCount

const linesOfNamedHeader = async (source: CsvSource, s3: S3Client): Promise<number> => {
  const dialect = parseCsvDialect(source)
  const first = await firstRecord(source, s3)
  if (!first) return 0
  const [found = []] = parseRecords(first.bytes, dialect)
  const names = source.columns ?? []
  const isHeader =
    found.length === names.length &&
    found.every((cell, index) => sanitizeColumnName(cell) === sanitizeColumnName(names[index] ?? ''))
  // A name in quotes may hold line breaks.
  return isHeader ? first.bytes.filter(byte => byte === LINE_FEED).length : 0
}

const LINE_FEED = 0x0a

const firstRecord = async (source: CsvSource, s3: S3Client): Promise<CsvChunk | undefined> => {
  const [object] = source.slices
  if (!object) return undefined
  try {
    const { bytes, form, close } = await openFile(readObject(s3, object))
    if (form !== 'csv') await close()
    if (form !== 'csv') return undefined
    const dialect = parseCsvDialect(source)
    for await (const chunk of splitCsv(bytes, { dialect, chunkBytes: 1, hasHeader: true })) return chunk
  } catch (error) {
    // What is wrong with the file the load itself will say, with the line.
    if (!(error instanceof UserError)) throw error
  }
  return undefined
}
