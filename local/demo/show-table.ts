import { z } from 'zod'
import type { CloudFacts } from '../runtime/embedded-cloud.ts'
import { callApi } from './call-api.ts'

const tableSchema = z.object({
  rowsCount: z.number(),
  columns: z.array(z.string()),
  primaryKey: z.array(z.string()),
})
const previewSchema = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.array(z.object({ value: z.string().nullable() }))),
})

const PREVIEW_ROWS = 5
const CELL_WIDTH = 24

/** How many rows and columns a table has, as one line for a terminal. */
export const showCounts = async (cloud: CloudFacts, tableId: string): Promise<string> => {
  const { rowsCount, columns, primaryKey } = tableSchema.parse(
    await callApi(cloud, 'GET', `tables/${tableId}`),
  )
  return `  ${tableId}: ${rowsCount} rows, ${columns.length} columns, primary key ${primaryKey.join(', ') || 'none'}`
}

/** The first rows that `query` (parameters of data-preview) selects, as lines for a terminal. */
export const showRows = async (
  cloud: CloudFacts,
  tableId: string,
  query: Record<string, string>,
): Promise<string> => {
  const parameters = new URLSearchParams({ limit: `${PREVIEW_ROWS}`, format: 'json', ...query })
  const preview = previewSchema.parse(
    await callApi(cloud, 'GET', `tables/${tableId}/data-preview?${parameters}`),
  )
  const rows = [preview.columns, ...preview.rows.map(row => row.map(({ value }) => value ?? ''))]
  return rows.map(cells => `    ${cells.map(padded).join(' ').trimEnd()}`).join('\n')
}

const padded = (cell: string): string => {
  const oneLine = cell.replace(/\r?\n/g, '⏎')
  const cut = oneLine.length > CELL_WIDTH ? `${oneLine.slice(0, CELL_WIDTH - 1)}…` : oneLine
  return cut.padEnd(CELL_WIDTH)
}
