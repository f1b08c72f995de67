import { writeFileSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { type CsvDialect, parseCsvDialect, RFC_4180 } from './csv/csv-dialect.ts'
import { formatRecord } from './csv/format-records.ts'
import { parseRecords } from './csv/parse-records.ts'
import type { CsvChunk } from './csv/split-csv.ts'
import type { DuckDbSession } from './duckdb/duckdb-session.ts'
import { quoteColumn, TIMESTAMP_COLUMN } from './duckdb/parquet-sql.ts'
import { quoteList, quoteLiteral, quoteTimestamp } from './duckdb/sql.ts'
import type { EngineContext } from './files/engine-context.ts'
import type { CsvForm } from './files/load-request.ts'
import type { PlacedField, Snapshot } from './files/snapshot.ts'
import { findBadCell } from './find-bad-cell.ts'
import type { LocalFile } from './local-file.ts'
import { mapAhead } from './map-ahead.ts'
import { cellsOf } from './source-columns.ts'
import { cellSql, markedCellSql } from './types/cell-sql.ts'
import { type FileColumn, isTyped } from './types/field-type.ts'
import { writeParquet } from './write-parquet.ts'

interface StageChunkRequest {
  chunk: CsvChunk
  source: CsvForm
  /** The columns of the table. */
  columns: PlacedField[]
  loadedAt: Date
  /** The table has a primary key. */
  isKeyed: boolean
  /** Notes the order of the records, which begin with this one of the range. Default: not. */
  order?: { range: number; firstRow: number } | undefined
  /** Name of the Parquet file, unique in the session. */
  name: string
}

interface StageChunksRequest extends Pick<StageChunkRequest, 'source' | 'loadedAt' | 'name'> {
  chunks: AsyncIterable<CsvChunk>
  /** Column names in the table, in the order of the file. */
  importedColumns: string[]
  /** What a file that has types says of them. */
  types: FileColumn[] | undefined
  /** With the columns that it has after the load. */
  table: Pick<Snapshot, 'fields' | 'primaryKey'>
  /** Number of the range in a load whose ranges are merged later. */
  range?: number
}

/** Turns chunks into Parquet files, `<name>-00001` and so on, some at a time. `finish`: what becomes of each. */
export const stageChunks = <File>(
  { session, threads, roundsNumbers }: EngineContext,
  { chunks, importedColumns, types, table, range, ...request }: StageChunksRequest,
  finish: (file: LocalFile) => Promise<File>,
): Promise<File[]> => {
  const { isParquet } = request.source
  const isKeyed = table.primaryKey.length > 0
  let firstRow = 0
  // Two chunks more than threads: one is on disk when a thread is free, while the file of another is uploaded.
  return mapAhead(chunks, threads + 2, async (chunk, index) => {
    const order = isKeyed && range !== undefined ? { range, firstRow } : undefined
    firstRow += chunk.records
    const names = chunk.names ?? importedColumns
    const columns = cellsOf(table, { importedColumns: names, types, isParquet, roundsNumbers })
    const name = `${request.name}-${String(index + 1).padStart(5, '0')}`
    return finish(await stageChunk(session, { ...request, chunk, columns, isKeyed, order, name }))
  })
}

/**
 * Turns a chunk of checked records into a Parquet file in the session's folder.
 *
 * DuckDB's reader has nothing to guess: no sniffing, no header, one thread that begins at a record, buffers that hold
 * the whole chunk. Chunks that it would read differently from RFC 4180 are rewritten first with every cell in quotes.
 * And its row count must equal the scanner's, or the load fails. A cell that its column cannot hold fails it with a
 * `UserError` (see {@link findBadCell}).
 *
 * The chunk is in a file, and its memory free for the next one, before this returns. Written by another thread it would wait for
 * the check of the next chunks, which leaves this one only between their blocks, and DuckDB with it.
 */
export const stageChunk = async (session: DuckDbSession, request: StageChunkRequest): Promise<LocalFile> => {
  const { chunk, name } = request
  const dialect = parseCsvDialect(request.source)
  const files = {
    original: session.scratchPath(`${name}.csv`),
    rewritten: session.scratchPath(`${name}-rewritten.csv`),
  }
  const content = { dialect, bytes: chunk.bytes.length, isMisread: isMisread(chunk, dialect) }
  try {
    writeChunk(files.original, chunk)
    return await loadFromFile(session, { ...request, ...content, ...files })
  } finally {
    await rm(files.original, { force: true })
    await rm(files.rewritten, { force: true })
  }
}

const writeChunk = (path: string, { bytes, release }: CsvChunk): void => {
  try {
    writeFileSync(path, bytes)
  } finally {
    release()
  }
}

interface ChunkInFile extends StageChunkRequest {
  dialect: CsvDialect
  original: string
  bytes: number
  isMisread: boolean
  /** Where the records go with every cell in quotes, if they have to. */
  rewritten: string
}

const loadFromFile = async (session: DuckDbSession, request: ChunkInFile): Promise<LocalFile> => {
  const { chunk, dialect, name, original, rewritten } = request
  const load = (csv: string, bytes: number, ofFile: CsvDialect): Promise<LocalFile> =>
    writeParquet(session, {
      name,
      fields: request.columns,
      isKeyed: request.isKeyed,
      hasLoadOrder: request.order !== undefined,
      select: selectFromCsv({ ...request, csv, bytes, dialect: ofFile }),
    })
  try {
    if (!request.isMisread) {
      const file = await load(original, request.bytes, dialect)
      if (file.rows === chunk.records) return file
    }
    const records = rewriteRecords(await readFile(original), dialect)
    await writeFile(rewritten, records)
    const file = await load(rewritten, records.length, RFC_4180)
    if (file.rows === chunk.records) return file
    throw new Error(
      `DuckDB read ${file.rows} rows where the scanner counted ${chunk.records} records (${name}).`,
    )
  } catch (error) {
    if (!request.columns.some(isTyped)) throw error
    throw findBadCell({ ...request, records: await readFile(original) }) ?? error
  }
}

/**
 * Whether DuckDB (1.5.6) would read the chunk differently from RFC 4180. In a single column it takes CRLF after a
 * quoted cell for two line ends and may skip blank lines. For escaped cells without quotes its rules differ from ours.
 * And what begins a chunk within a file is text, even if it would be a byte order mark at the start of a file.
 */
const isMisread = (chunk: CsvChunk, dialect: CsvDialect): boolean =>
  dialect.escapedBy !== undefined ||
  (chunk.columns === 1 && (chunk.hasReturns || chunk.hasBlankLines)) ||
  startsWithByteOrderMark(chunk)

const startsWithByteOrderMark = ({ bytes }: CsvChunk): boolean =>
  [0xef, 0xbb, 0xbf].every((byte, index) => bytes[index] === byte)

const REWRITE_BATCH = 1_000

const rewriteRecords = (records: Buffer, dialect: CsvDialect): Buffer => {
  const rewritten: Buffer[] = []
  let batch: string[] = []
  for (const cells of parseRecords(records, dialect)) {
    batch.push(formatRecord(cells))
    if (batch.length < REWRITE_BATCH) continue
    rewritten.push(Buffer.from(batch.join('')))
    batch = []
  }
  return Buffer.concat([...rewritten, Buffer.from(batch.join(''))])
}

const selectFromCsv = ({
  csv,
  bytes,
  chunk,
  dialect,
  columns,
  loadedAt,
  source: { treatValuesAsNull = [], isParquet },
  order,
}: StageChunkRequest & { csv: string; bytes: number; dialect: CsvDialect }): string => {
  const cells = Array.from({ length: chunk.columns }, (_, index) => `c${index}`)
  const nulls = treatValuesAsNull.filter(value => value !== '' && !value.includes('\0')).map(quoteLiteral)
  const toValue = (cell: string): string =>
    nulls.length === 0 ? cell : `CASE WHEN ${cell} IN (${nulls.join(', ')}) THEN '' ELSE ${cell} END`
  const toSql = isParquet ? markedCellSql : cellSql
  const values = columns.map(
    field =>
      `${toSql(field.cell === undefined ? "''" : toValue(`c${field.cell}`), field, loadedAt)} AS ${quoteColumn(field.name)}`,
  )
  if (order)
    values.push(
      `${order.range}::BIGINT AS _load_range, (${order.firstRow} + row_number() OVER () - 1)::BIGINT AS _load_row`, // LOAD_ORDER
    )
  const quote = quoteByte(dialect.enclosure)
  return `
    SELECT ${values.join(', ')}, ${quoteTimestamp(loadedAt)} AS ${TIMESTAMP_COLUMN}
    FROM read_csv(${quoteLiteral(csv)},
      auto_detect = false, header = false, parallel = false, compression = 'none',
      columns = {${cells.map(cell => `'${cell}': 'VARCHAR'`).join(', ')}},
      delim = ${quoteByte(dialect.delimiter)}, quote = ${quote}, escape = ${quote},
      -- Strict mode refuses CR and CRLF inside quotes, which RFC 4180 allows; the scanner has been strict already.
      strict_mode = false,
      -- Without this an empty cell would be NULL.
      force_not_null = ${quoteList(cells)},
      buffer_size = ${bytes + BUFFER_SLACK_BYTES}, max_line_size = ${bytes})`
}

/** Room for DuckDB to see the end of the file in its first buffer. */
const BUFFER_SLACK_BYTES = 64 * 1024

const quoteByte = (byte: number | undefined): string =>
  quoteLiteral(byte === undefined ? '' : String.fromCharCode(byte))
