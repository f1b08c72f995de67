import { z } from 'zod'
import { exchange } from '#lib/storage-client/exchange.ts'
import type { CloudFacts } from '../runtime/embedded-cloud.ts'

const tableSchema = z.object({
  rowsCount: z.number(),
  columns: z.array(z.string()),
  primaryKey: z.array(z.string()),
})

const PREVIEW_ROWS = 5

/** The storage API as any client calls it. */
export const serviceOf = ({ api, token = '' }: CloudFacts) => {
  const send = async (method: string, path: string, body?: unknown): Promise<string> => {
    const { status, text } = await exchange({
      url: `${api}/v2/storage/${path}`,
      method,
      headers: { 'X-StorageApi-Token': token, 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
      timeoutSeconds: 60,
    })
    if (status >= 300 || text === undefined) throw new Error(`${method} ${path} answered ${status}: ${text}`)
    return text
  }
  const call = async (...asked: Parameters<typeof send>): Promise<unknown> => JSON.parse(await send(...asked))
  return {
    call,
    /** How many rows and columns a table has, as one line for a terminal. */
    counts: async (tableId: string): Promise<string> => {
      const { rowsCount, columns, primaryKey } = tableSchema.parse(await call('GET', `tables/${tableId}`))
      return `  ${tableId}: ${rowsCount} rows, ${columns.length} columns, primary key ${primaryKey.join(', ') || 'none'}`
    },
    /** The first rows that `query` (parameters of data-preview) selects, as CSV. */
    rows: async (tableId: string, query: Record<string, string>): Promise<string> => {
      const parameters = new URLSearchParams({ limit: `${PREVIEW_ROWS}`, ...query })
      const csv = await send('GET', `tables/${tableId}/data-preview?${parameters}`)
      return csv.trimEnd().replaceAll(/(^|\r?\n)/g, '$1    ')
    },
  }
}

export type Service = ReturnType<typeof serviceOf>
