import type { S3Client } from '@aws-sdk/client-s3'
import { UserError } from '../../lib/errors/errors.ts'
import { sanitizeColumnName } from '../../lib/table-engine/csv/column-names.ts'
import { parseCsvDialect } from '../../lib/table-engine/csv/csv-dialect.ts'
import { openFile } from '../../lib/table-engine/csv/open-file.ts'
import { parseRecords } from '../../lib/table-engine/csv/parse-records.ts'
import { type CsvChunk, splitCsv } from '../../lib/table-engine/csv/split-csv.ts'
import type { CsvSource } from '../../lib/table-engine/load-request.ts'
import { readObject } from '../../lib/table-engine/read-object.ts'

const namedHeaderWarning =
  'The first line of the file holds the names in "columns", so it was read as the header and is not among the rows.'

/**
 * The source of a new table, with its first line left out where that is a header.
 *
 * A request that names the columns says that its file has no header. Some clients send the names with a file that begins
 * with them all the same, and mean a header. So a first record that holds exactly these names, made valid, is one.
 */
export const skipNamedHeader = async <Source extends CsvSource>(
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
    const { bytes } = await openFile(readObject(s3, object))
    const dialect = parseCsvDialect(source)
    for await (const chunk of splitCsv(bytes, { dialect, chunkBytes: 1, hasHeader: true })) return chunk
  } catch (error) {
    // What is wrong with the file the load itself will say, with the line.
    if (!(error instanceof UserError)) throw error
  }
  return undefined
}
