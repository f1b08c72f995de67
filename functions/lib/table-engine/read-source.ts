import { UserError } from '../errors/errors.ts'
import { checkDelimiter } from './check-delimiter.ts'
import { type CsvDialect, parseCsvDialect } from './csv/csv-dialect.ts'
import { openFile } from './csv/open-file.ts'
import { parseRecords } from './csv/parse-records.ts'
import { type CsvChunk, splitCsv } from './csv/split-csv.ts'
import { joinChunks } from './join-chunks.ts'
import type { CsvSource } from './load-request.ts'
import { type ColumnMapping, createColumnsNotMatch, mapColumns } from './map-columns.ts'
import type { TableFiles } from './table-files.ts'

interface ReadSourceRequest {
  source: CsvSource
  /** The columns of the existing table. Undefined: the table will be created. */
  tableColumns: string[] | undefined
  chunkBytes: number
}

/** A source with known columns, whose records are being read. */
export interface OpenedSource {
  dialect: CsvDialect
  mapping: ColumnMapping
  warnings: string[]
  /** The records, without the header. */
  chunks: AsyncIterable<CsvChunk>
  /** Totals of what has been read so far. */
  progress: { inBytes: number; isCompressed: boolean }
  /** Stops reading, whether or not all chunks were read. */
  close(): Promise<void>
}

/**
 * Opens the files of a load and finds their columns: in the header, the request or the table.
 *
 * Throws `UserError`: at once for wrong columns, and while the chunks are read for a wrong record.
 */
export const readSource = async (files: TableFiles, request: ReadSourceRequest): Promise<OpenedSource> => {
  const { source, tableColumns, chunkBytes } = request
  const dialect = parseCsvDialect(source)
  const knownNames = findKnownNames(source, tableColumns)
  const progress = { inBytes: 0, isCompressed: false }
  const hasHeader = knownNames === undefined
  const ignoredLines = source.ignoredLinesCount ?? 0

  const readSlices = async function* (): AsyncGenerator<CsvChunk> {
    for (const [index, slice] of source.slices.entries()) {
      const name = source.isSliced ? `slice ${index + 1} of ${source.slices.length}` : undefined
      const stored = countBytes(files.readDataFile(slice), progress)
      const { bytes, isCompressed } = await openFile(stored, name ? capitalize(name) : 'The file')
      progress.isCompressed ||= isCompressed
      yield* splitCsv(bytes, {
        dialect,
        chunkBytes,
        hasHeader,
        ignoredLines: hasHeader ? Math.max(0, ignoredLines - 1) : ignoredLines,
        columns: knownNames?.length,
        source: name,
      })
    }
  }

  const records = readSlices()
  const close = async (): Promise<void> => {
    await records.return(undefined)
  }
  try {
    const header = knownNames ? { names: knownNames, isExplicit: true } : await readHeader(records, dialect)
    if (header === undefined) throw createEmptyFileError(source, tableColumns)
    const mapping = mapColumns({ names: header.names, tableColumns, delimiter: source.delimiter })
    const warnings = checkDelimiter({ ...header, delimiter: source.delimiter, tableColumns })
    return { dialect, mapping, warnings, chunks: joinChunks(records, chunkBytes), progress, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The column names if they are not in the file. */
const findKnownNames = (source: CsvSource, tableColumns: string[] | undefined): string[] | undefined => {
  if (source.columns && source.columns.length > 0) return source.columns
  if (source.withoutHeaders && tableColumns) return tableColumns
  if (!source.isSliced && !source.withoutHeaders) return undefined
  if (tableColumns) {
    throw createColumnsNotMatch({
      missingColumns: tableColumns,
      expectedColumns: tableColumns,
      delimiter: source.delimiter,
    })
  }
  throw new UserError(
    'storage.tables.validation.invalidColumnName',
    `${source.isSliced ? 'A sliced file' : 'A file without headers'} has no names of columns: name them in the parameter "columns".`,
  )
}

const readHeader = async (
  records: AsyncGenerator<CsvChunk>,
  dialect: CsvDialect,
): Promise<{ names: string[]; isExplicit: boolean } | undefined> => {
  const { value, done } = await records.next()
  if (done) return undefined
  const names = parseRecords(value.bytes, dialect).next().value
  return names ? { names, isExplicit: value.bytes[0] === dialect.enclosure } : undefined
}

const createEmptyFileError = (source: CsvSource, tableColumns: string[] | undefined): UserError =>
  tableColumns
    ? createColumnsNotMatch({
        missingColumns: tableColumns,
        expectedColumns: tableColumns,
        delimiter: source.delimiter,
      })
    : new UserError(
        'storage.tables.validation.noColumns',
        'The file is empty: a table needs at least one column. Upload a CSV file with a header.',
      )

async function* countBytes(
  file: AsyncIterable<Uint8Array>,
  progress: { inBytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const bytes of file) {
    progress.inBytes += bytes.length
    yield bytes
  }
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
