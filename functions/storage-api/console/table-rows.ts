import * as z from 'zod/mini'
import type { TableBody } from '#lib/wire/table-body.ts'
import { type ApiClient, Refusal } from './api-client.ts'
import { previewFields, ROWS_SHOWN, type RowChoice } from './row-filters.ts'

const cell = z.object({ value: z.nullable(z.string()), isTruncated: z.boolean() })

const previewBody = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.array(cell)),
  rowsCount: z.optional(z.number()),
  types: z.optional(z.record(z.string(), z.string())),
})

/** A page of the rows that match. */
export interface TableRows {
  columns: string[]
  rows: z.infer<typeof cell>[][]
  /** How many match. */
  rowsCount: number
  /** What text columns seem to hold, by their names. */
  types: Readonly<Record<string, string>>
}

/** What the API refuses is a sentence on the page. */
export const readRows = async (
  client: ApiClient,
  table: TableBody,
  choice: RowChoice,
): Promise<TableRows | { problem: string }> => {
  try {
    const types = await typesOf(client, table)
    const asked = { format: 'json', countRows: 1, limit: ROWS_SHOWN, ...previewFields(choice, types) }
    const { columns, rows, rowsCount = 0 } = await preview(client, table, asked)
    return { columns, rows, rowsCount, types }
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) return { problem: error.message }
    throw error
  }
}

/** What the text columns of a table seem to hold. Of typed tables it is declared. */
export const typesOf = async (
  client: ApiClient,
  table: TableBody,
): Promise<Readonly<Record<string, string>>> => {
  if (table.isTyped) return {}
  return (await preview(client, table, { format: 'json', guessTypes: 1, limit: 1 })).types ?? {}
}

const preview = (client: ApiClient, { id }: TableBody, fields: Record<string, string | number>) =>
  client.get(
    `tables/${encodeURIComponent(id)}/data-preview?${new URLSearchParams(
      Object.entries(fields).map(([name, value]): [string, string] => [name, `${value}`]),
    )}`,
    previewBody,
  )
