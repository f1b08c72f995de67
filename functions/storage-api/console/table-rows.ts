import * as z from 'zod/mini'
import type { TableBody } from '#lib/wire/table-body.ts'
import { type ApiClient, Refusal } from './api-client.ts'
import { previewFields, ROWS_SHOWN, type RowChoice } from './row-filters.ts'

const cell = z.object({ value: z.nullable(z.string()), isTruncated: z.boolean() })

const previewBody = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.array(cell)),
  rowsCount: z.optional(z.number()),
  stays: z.optional(z.array(z.string())),
})

/** A page of the rows that match. */
export interface TableRows {
  columns: string[]
  rows: z.infer<typeof cell>[][]
  /** How many match. */
  rowsCount: number
  /** Sentences about rows that the conditions cannot compare. */
  stays: string[]
}

/** What the API refuses is a sentence on the page. */
export const readRows = async (
  client: ApiClient,
  table: TableBody,
  choice: RowChoice,
): Promise<TableRows | { problem: string }> => {
  try {
    const asked = { format: 'json', countRows: 1, limit: ROWS_SHOWN, ...previewFields(choice) }
    const { columns, rows, rowsCount = 0, stays = [] } = await preview(client, table, asked)
    return { columns, rows, rowsCount, stays }
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) return { problem: error.message }
    throw error
  }
}

const preview = (client: ApiClient, { id }: TableBody, fields: Record<string, string | number>) =>
  client.get(
    `tables/${encodeURIComponent(id)}/data-preview?${new URLSearchParams(
      Object.entries(fields).map(([name, value]): [string, string] => [name, `${value}`]),
    )}`,
    previewBody,
  )
