import { readFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import type { WrittenTable } from '../../functions/lib/extractor/tables/sink-types.ts'
import { plural } from '../../functions/lib/plural.ts'

const widest = 32

/** The tables as text: name, then columns in line. */
export const previewTables = async (tables: readonly WrittenTable[]): Promise<string> => {
  const parts = await Promise.all(
    tables.map(async table => {
      const rows: string[][] = parse(await readFile(table.file), {
        relax_column_count: true,
        skip_empty_lines: true,
      })
      return `${table.name} (${plural(table.rows, 'row')})\n${layOut(rows)}`
    }),
  )
  return parts.length === 0 ? 'No tables.' : parts.join('\n\n')
}

const layOut = (rows: readonly string[][]): string => {
  const shown = rows.map(row => row.map(shorten))
  const columns = Math.max(0, ...shown.map(row => row.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...shown.map(row => row[column]?.length ?? 0)),
  )
  const line = (row: readonly string[]): string =>
    widths
      .map((width, column) => (row[column] ?? '').padEnd(width))
      .join('  ')
      .trimEnd()
  const [header, ...data] = shown
  if (header === undefined) return '  (empty)'
  return [line(header), widths.map(width => '-'.repeat(width)).join('  '), ...data.map(line)].join('\n')
}

const shorten = (cell: string): string => {
  const plain = cell.replace(/\s+/g, ' ')
  return plain.length > widest ? `${plain.slice(0, widest - 1)}…` : plain
}
