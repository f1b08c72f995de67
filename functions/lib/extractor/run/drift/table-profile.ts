import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { parse } from 'csv-parse'
import { kindOf, type ValueKind, widest } from './value-kind.ts'

/** What the rows of one run are like. */
export interface TableProfile {
  rows: number
  /** In the order of the table. */
  columns: ColumnProfile[]
}

export interface ColumnProfile {
  name: string
  kind: ValueKind | null
  /** Rows without a value. */
  empty: number
}

/** Columns of a table that are looked at. */
export const MAX_COLUMNS = 500

/**
 * Looks at each row of a table's file once. Columns beyond `MAX_COLUMNS` are left out.
 *
 * @param mark column of rows that are gone (`deletions`): it and they are ours, and say nothing of the API
 */
export const profileTable = async (
  file: string,
  names: readonly string[],
  mark?: string,
): Promise<TableProfile> => {
  const all: ColumnProfile[] = names.slice(0, MAX_COLUMNS).map(name => ({ name, kind: null, empty: 0 }))
  const columns = all.filter(({ name }) => name !== mark)
  const markAt = mark === undefined ? -1 : names.indexOf(mark)
  if (columns.length === 0) return { rows: 0, columns }
  let rows = 0
  const records = parse({ from_line: 1, relax_column_count: true })
  const read = async (lines: AsyncIterable<string[]>): Promise<void> => {
    let isHeader = true
    for await (const cells of lines) {
      if (isHeader) {
        isHeader = false
        continue
      }
      if (cells[markAt] === '1') continue
      rows++
      for (const [index, column] of all.entries()) {
        const cell = cells[index] ?? ''
        if (cell === '') column.empty++
        // A text stays one, whatever else comes
        else if (column.kind !== 'text') column.kind = widest(column.kind, kindOf(cell))
      }
    }
  }
  await pipeline(createReadStream(file), records, read)
  return { rows, columns }
}
