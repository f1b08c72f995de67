import { createReadStream } from 'node:fs'
import { z } from 'zod'
import { rowSource } from '../../lib/storage/tables/aliases/row-source.ts'
import type { QueryReads, TableQuery } from '../../lib/table-engine/queries/query-tables.ts'
import { type QueryBody, queryBody, queryFileBody, wholeFormats } from '../../lib/wire/query-body.ts'
import { listStored, storeBytes } from '../files/store-upload.ts'
import { findTableWithFiles } from '../find/find-table.ts'
import { inPlace } from '../http/at-once.ts'
import { flag, integer, text, unlessBlank } from '../http/fields.ts'
import { MAX_LIST_BYTES } from '../http/page.ts'
import { created, ok } from '../http/reply.ts'
import { requireSomeTables, requireTable } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'
import type { Sender } from '../http/route-definition.ts'
import type { Services } from '../services/services.ts'

export const routes = routesOf('tables')

const DEFAULT_ROWS = 1_000
export const MAX_ROWS = 10_000
/** As stored: what a request reads of its tables in some ten seconds, of the 28 that it has. */
const MAX_BYTES = 256 * 1024 ** 2
const MAX_SECONDS = 25

const body = z.object({
  sql: text({ min: 1, max: 100_000 }),
  format: z.enum(['json', ...wholeFormats]).default('json'),
  limit: integer({ min: 1, max: MAX_ROWS }).default(DEFAULT_ROWS),
  detectTypes: flag().default(false),
  name: unlessBlank(text({ max: 200 })),
})

/**
 * Answers one query, in the SQL of DuckDB, on tables that the caller may read: their rows and columns as an export has
 * them, and nothing else. It writes nothing. `json` has the first rows, the other formats have all of
 * them in a file.
 */
routes.post('/v2/storage/query', {
  summary: 'Query tables',
  access: 'read',
  body,
  replies: {
    200: 'The first rows',
    201: 'With another format than `json`: the file with the whole result',
    400: '`storage.query.invalid`, `storage.query.tooLarge`, `storage.query.tooLong`',
    403: 'The token may not read a table',
    429: '`storage.tooManyAtOnce`: four queries of the token are under way',
    404: 'There is no such table',
  },
  reply: z.union([queryBody, queryFileBody]),
  handle: async (request, services) => {
    const { sql, format, limit, detectTypes } = request.body
    const query = queryOf({ sql, detectTypes }, request, services)
    return inPlace('queries', request, services, async () =>
      format === 'json'
        ? ok(await shownOf(query, limit, services))
        : created(await wholeResult(query, format, request, services)),
    )
  },
})

/** A query of what the asker may read. */
const queryOf = (
  { sql, detectTypes }: { sql: string; detectTypes: boolean },
  { caller }: Pick<Sender, 'caller'>,
  services: Services,
): TableQuery => {
  requireSomeTables(caller)
  return {
    sql,
    asker: caller.tokenId,
    maxBytes: MAX_BYTES,
    detectsTypes: detectTypes,
    signal: AbortSignal.timeout(MAX_SECONDS * 1000),
    find: async tableId => {
      requireTable(caller, tableId, 'read')
      return rowSource(await findTableWithFiles(services, tableId), {})
    },
  }
}

const shownOf = async (query: TableQuery, limit: number, services: Services): Promise<QueryBody> => {
  const engine = await services.tableEngine()
  const { bytesRead: _, ...shown } = await engine.query({
    ...query,
    most: { rows: limit, bytes: MAX_LIST_BYTES },
  })
  return shown
}

/** The first rows of a query. Errors: as those of the route. */
export const firstResult = async (
  { sql, limit }: { sql: string; limit: number },
  asker: Pick<Sender, 'caller'>,
  services: Services,
): Promise<QueryBody> =>
  inPlace('queries', asker, services, () =>
    shownOf(queryOf({ sql, detectTypes: false }, asker, services), limit, services),
  )

/** Writes all rows of a query to a file. A query that fails leaves none. */
const wholeResult = async (
  query: TableQuery,
  format: (typeof wholeFormats)[number],
  request: Sender & { body: { name?: string | undefined } },
  services: Services,
): Promise<QueryReads & { file: { id: number } }> => {
  const engine = await services.tableEngine()
  const name = `${request.body.name ?? 'query'}.${format}`
  let fileId = 0
  const { tables, warnings } = await engine.queryToFile({ ...query, format }, async path => {
    const stored = await storeBytes(createReadStream(path, { signal: query.signal }), name, services)
    fileId = (await listStored(stored, { name, tags: ['query'] }, request, services)).id
  })
  return { tables, warnings, file: { id: fileId } }
}
