import { readFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import type { WrittenTable } from '../../functions/lib/extractor/tables/write-tables.ts'
import { plural } from '../../functions/lib/plural.ts'
import { formatTable } from './format-table.ts'

const WIDEST = 32

/** The names of the columns, then the rows of a table that was written. */
const readTable = async ({ file }: WrittenTable): Promise<string[][]> =>
  parse(await readFile(file), { relax_column_count: true, skip_empty_lines: true })

/** The tables as text: name, then columns in line. */
export const previewTables = async (tables: readonly WrittenTable[]): Promise<string> => {
  const parts = await Promise.all(
    tables.map(async table => {
      const [columns, ...rows] = await readTable(table)
      const shown = columns
        ? formatTable(
            columns,
            rows.map(row => row.map(shorten)),
          )
        : '  (empty)\n'
      return `${table.name} (${plural(table.rows, 'row')})\n${shown}`
    }),
  )
  return parts.length === 0 ? 'No tables.' : parts.join('\n').trimEnd()
}

const shorten = (cell: string): string => {
  const plain = cell.replace(/\s+/g, ' ')
  return plain.length > WIDEST ? `${plain.slice(0, WIDEST - 1)}…` : plain
}
