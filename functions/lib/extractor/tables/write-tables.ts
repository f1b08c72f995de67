import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { UserError } from '../../errors/errors.ts'
import type { WrittenTable } from './sink-types.ts'
import { type Output, removeTables, tableFile } from './table-file.ts'
import { headerLine } from './table-header.ts'

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
export interface FinishedTable extends Omit<WrittenTable, 'file'> {
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
      const file = tableFile(output, table.name)
      written.push({ ...table, file })
      await writeTable(file, headerLine(table.columns), pieces)
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
