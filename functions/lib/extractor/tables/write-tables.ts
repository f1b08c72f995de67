import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, rm, writeFile } from 'node:fs/promises'
import { UserError } from '../../errors/errors.ts'
import { isFileName, pathInside } from '../../paths/path-inside.ts'
import { safeName } from '../values/php/php-values.ts'
import type { ColumnKinds } from './row-plan.ts'
import { headerLine } from './table-header.ts'

/** A table of the output. */
export interface WrittenTable {
  /** Table name, such as `users_tags`. */
  name: string
  /** The name that it would have, had another table of other columns not taken it. */
  insteadOf?: string
  /** Path of the CSV file; the manifest is `<file>.manifest`. */
  file: string
  manifest: TableManifest
  columns: string[]
  primaryKey: string[]
  /** Data types that its rows come from. */
  types: string[]
  rows: number
  /** Where columns have types. */
  kinds?: ColumnKinds | undefined
}

/** How the storage service is to take a table. */
export interface TableLoad {
  incremental: boolean
  primaryKey: string[]
}

/** What the manifest beside a table says of it (docs/reference/extractor-tables.md#files). */
export interface TableManifest extends TableLoad {
  /** Absent without a bucket. */
  destination?: string | undefined
  types?: 'detect' | undefined
  /** Those of the columns that are text whatever their values look like. */
  textColumns?: string[] | undefined
}

/** Where finished tables go. */
export interface Output {
  folder: string
  /** Output bucket without `in.c-`: file `<bucket>.<table>`, destination `in.c-<bucket>.<table>`. Absent: `<table>`, no destination. */
  bucket: string | undefined
  /** How each finished table is loaded, for its manifest. */
  loadOf: (table: Omit<FinishedTable, 'pieces'>) => TableLoad
  /** Called for things the author of the configuration should know, such as a list inside a list. */
  warn: (message: string) => void
}

/** What the kinds of tables of one bucket are made with. */
export interface TablesOptions {
  folder: string
  compat: boolean
  isTyped: boolean
  /** What earlier runs have learnt. */
  structure: unknown
  /** Of all jobs: a list inside of rows does not take the name of one. */
  dataTypes: readonly string[]
  warn(message: string): void
}

/** Rows in a file of the spool. */
export interface Piece {
  file: string
  /** In bytes; the end is outside. */
  start: number
  end: number
  /** How its rows become those of the table; absent: as they are. */
  mapping?: ColumnMapping | undefined
  /** The line that the file begins with, when all that follows is this piece. */
  header?: string | undefined
}

/** A table whose rows are still in the spool. */
export interface FinishedTable extends Omit<WrittenTable, 'file' | 'manifest'> {
  pieces: readonly Piece[]
}

/** Where each column of a table comes from: a position in the rows of a piece, or -1 for an empty cell. */
type ColumnMapping = readonly number[]

/**
 * Writes each table by its name. Rows of one name come together, in the order of the tables.
 *
 * @throws UserError `extractor.tables.differentColumns` when two of one name have other columns
 */
export const writeTables = async (
  tables: readonly FinishedTable[],
  output: Output,
): Promise<WrittenTable[]> => {
  const byName = new Map<string, FinishedTable>()
  for (const table of tables) {
    const known = byName.get(table.name)
    byName.set(table.name, known === undefined ? table : joined(known, table))
  }
  const written: WrittenTable[] = []
  try {
    for (const { pieces, ...table } of byName.values()) {
      const file = tableFile(output, table.name, written)
      const manifest = manifestOf(output, table)
      written.push({ ...table, file, manifest })
      await writeTable(file, headerLine(table.columns), pieces)
      const { destination, incremental, primaryKey, types, textColumns: text_columns } = manifest
      const primary_key = primaryKey.length === 0 ? undefined : primaryKey
      const stored = { destination, incremental, primary_key, types, text_columns }
      await writeFile(`${file}.manifest`, JSON.stringify(stored))
    }
  } catch (error) {
    await removeTables(written)
    throw error
  }
  return written
}

const joined = (first: FinishedTable, second: FinishedTable): FinishedTable => {
  const { name, columns } = first
  if (headerLine(columns) !== headerLine(second.columns))
    throw new UserError(
      'extractor.tables.differentColumns',
      `Multiple results for '${name}' table have different columns!`,
      { params: { table: name, differentColumns: columns.filter(one => !second.columns.includes(one)) } },
    )
  if (second.kinds) first.kinds?.add(second.kinds)
  return {
    ...first,
    types: [...first.types, ...second.types],
    rows: first.rows + second.rows,
    pieces: [...first.pieces, ...second.pieces],
  }
}

const writeTable = async (file: string, header: string, pieces: readonly Piece[]): Promise<void> => {
  const [only, ...others] = pieces
  if (only?.header === header && others.length === 0 && (await moved(only.file, file))) return
  const out = await open(file, 'w')
  try {
    if (header !== '') await out.write(header)
    for (const piece of pieces) await copyInto(out, piece)
  } finally {
    await out.close()
  }
}

/** False when the folders are on different file systems. */
const moved = async (from: string, to: string): Promise<boolean> => {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EXDEV') return false
    throw error
  }
}

const copyInto = async (out: FileHandle, { file, start, end, mapping }: Piece): Promise<void> => {
  if (end <= start) return
  const map = mapping === undefined ? (chunk: Buffer) => chunk : createRowMapper(mapping)
  for await (const chunk of createReadStream(file, { start, end: end - 1, highWaterMark: 1 << 20 })) {
    const bytes = map(chunk)
    if (bytes.length > 0) await out.write(bytes)
  }
}

const [QUOTE, LINE_END, COMMA] = [34, 10, 44]

/**
 * Rewrites CSV rows of our own making (all cells quoted) for another set of columns, chunk by chunk.
 *
 * Returns a function that takes the next chunk of whole or partial rows and gives the rows it completes.
 */
const createRowMapper = (mapping: ColumnMapping): ((chunk: Buffer) => Buffer) => {
  let carried: Buffer = Buffer.alloc(0)
  return chunk => {
    const data = carried.length === 0 ? chunk : Buffer.concat([carried, chunk])
    const pieces: Buffer[] = []
    let cells: number[] = []
    let start = 0
    let cellStart = 0
    let inQuotes = false
    for (let at = 0; at < data.length; at++) {
      const byte = data[at]
      if (byte === QUOTE) inQuotes = !inQuotes
      else if (!inQuotes && (byte === LINE_END || byte === COMMA)) {
        cells.push(cellStart, at)
        cellStart = at + 1
        if (byte === LINE_END) {
          pushRow(pieces, data, cells, mapping)
          cells = []
          start = at + 1
        }
      }
    }
    carried = Buffer.from(data.subarray(start))
    return Buffer.concat(pieces)
  }
}

const comma = Buffer.from(',')
const empty = Buffer.from('""')
const lineEnd = Buffer.from('\n')

const pushRow = (pieces: Buffer[], data: Buffer, cells: readonly number[], mapping: ColumnMapping): void => {
  mapping.forEach((position, i) => {
    if (i > 0) pieces.push(comma)
    pieces.push(position === -1 ? empty : data.subarray(cells[2 * position], cells[2 * position + 1]))
  })
  pieces.push(lineEnd)
}

/**
 * The path of a table's file.
 *
 * @throws UserError `extractor.tables.fileName` when its name gives no file, or the file of another table
 */
const tableFile = ({ folder, bucket }: Output, name: string, written: readonly WrittenTable[]): string => {
  const file = tableFileName(bucket, name)
  const other = written.find(table => tableFileName(bucket, table.name) === file)
  const problem =
    !isFileName(file) || !isFileName(`${file}.manifest`)
      ? 'which is not the name of a file'
      : other && `which is the file of the table "${other.name}"`
  if (problem !== undefined)
    throw new UserError(
      'extractor.tables.fileName',
      `The table "${name}" would be written to "${file}", ${problem}. Set "dataType" or "outputBucket" to another name.`,
    )
  for (const beside of ['.manifest', '.part']) pathInside(folder, file + beside)
  return pathInside(folder, file)
}

/** `<bucket>.<table>`, or `<table>` without a bucket. */
export const tableFileName = (bucket: string | undefined, name: string): string =>
  bucket === undefined ? fileName(name) : `${bucket}.${fileName(name)}`

/**
 * Mapped tables keep their data type as name. One that is the path of an endpoint, or would take the place of a file
 * beside another table, is named as an automatic table is.
 */
const fileName = (name: string): string =>
  isFileName(name) && !/\.(manifest|part)$/i.test(name) ? name : safeName(name)

const manifestOf = (
  { bucket, loadOf, warn }: Output,
  table: Omit<FinishedTable, 'pieces'>,
): TableManifest => {
  const { name, columns, kinds } = table
  const mixed = columns.filter(column => kinds?.isMixed(column))
  if (mixed.length > 0)
    warn(`Columns of '${name}' have values of different types and are text: ${mixed.join(', ')}.`)
  return {
    destination: bucket === undefined ? undefined : `in.c-${bucket}.${name}`,
    ...loadOf(table),
    types: kinds && 'detect',
    textColumns: kinds && columns.filter(column => kinds.isText(column)),
  }
}

/** Takes finished tables back: a run that fails leaves none. */
export const removeTables = async (tables: readonly WrittenTable[]): Promise<void> => {
  for (const { file } of tables) {
    await rm(file, { force: true })
    await rm(`${file}.manifest`, { force: true })
  }
}
