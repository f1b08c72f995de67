import { Readable } from 'node:stream'
import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import type { FileRecord } from '../../lib/storage/files/file-store.ts'
import { wireDate } from '../../lib/wire/wire-date.ts'
import { listStored, storeBytes } from '../files/store-upload.ts'
import { findBranchId } from '../find/find-branch.ts'
import { notFound } from '../find/find-configuration.ts'
import { fileNotFound, findFile } from '../find/find-file.ts'
import { integer, listOf, text } from '../http/fields.ts'
import { MAX_LIST_BYTES } from '../http/page.ts'
import { routesOf } from '../http/route.ts'
import { firstResult, MAX_ROWS } from '../queries/run-query.ts'
import type { Caller, Services } from '../services/services.ts'
import { findWorkspace } from '../workspaces/workspaces.ts'

export const routes = routesOf('query')

const TAG = 'query-result'
const PAGE_ROWS = 500
/** Twice what a reply holds. */
const MAX_FILE_BYTES = 2 * MAX_LIST_BYTES

/** What is kept of a query: a file of the token that asked. */
const outcome = z.object({
  sql: z.string(),
  status: z.enum(['completed', 'failed']),
  message: z.string(),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  rows: z.array(z.array(z.unknown())),
})
type Outcome = z.infer<typeof outcome>

/** Runs one query on the tables that the caller may read, as `POST /v2/storage/query` does, and keeps its first rows as a file. */
routes.post('/query/api/v1/branches/{branchId}/workspaces/{workspaceId}/queries', {
  summary: 'Run a query in a workspace',
  body: z.object({
    statements: listOf(text({ min: 1, max: 100_000 })).refine(({ length }) => length === 1, {
      error: 'One statement at a time is run here.',
    }),
  }),
  replies: { 201: 'The query, which has ended', 404: 'There is no such workspace or branch' },
  reply: z.object({ queryJobId: z.string() }),
  handle: async (request, services) => {
    const branchId = await findBranchId(services, request.params.branchId)
    await findWorkspace(request.params.workspaceId, { branchId, caller: request.caller }, services)
    const [sql = ''] = request.body.statements
    const inBranch = { ...services, ...services.inBranch(branchId) }
    const result = JSON.stringify(await outcomeOf(sql, request, inBranch))
    const stored = await storeBytes(Readable.from([Buffer.from(result)]), 'query-result.json', services)
    const { id } = await listStored(stored, { name: stored.filename, tags: [TAG] }, request, services)
    return { queryJobId: String(id) }
  },
})

/** What is wrong with a query is its outcome, not an error of the request. */
const outcomeOf = async (sql: string, request: { caller: Caller }, services: Services): Promise<Outcome> => {
  try {
    const { columns, rows, isTruncated, warnings } = await firstResult(
      { sql, limit: MAX_ROWS },
      request,
      services,
    )
    const more = isTruncated ? [`There are more rows: the first ${rows.length} are kept.`] : []
    const message = [...more, ...warnings].join(' ')
    return { sql, status: 'completed', message, columns, rows }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { sql, status: 'failed', message: error.message, columns: [], rows: [] }
  }
}

const queryPath = '/query/api/v1/queries/{queryJobId}'
const replies = { 403: 'Another token asked for it', 404: 'There is no such query' }

routes.get(queryPath, {
  summary: 'A query of a workspace',
  replies: { 200: 'The query', ...replies },
  reply: z.object({ queryJobId: z.string(), status: z.string(), statements: z.array(z.looseObject({})) }),
  handle: async ({ params, caller }, services) => queryResource(params.queryJobId, caller, services),
})

/** It has ended when its id is known. */
routes.post(`${queryPath}/cancel`, {
  summary: 'Cancel a query, which has ended by then',
  replies: { 200: 'The query', ...replies },
  handle: async ({ params, caller }, services) => queryResource(params.queryJobId, caller, services),
})

const queryResource = async (queryJobId: string, caller: Caller, services: Services) => {
  const { file, sql, status, message, rows } = await findQuery(queryJobId, caller, services)
  const at = wireDate(file.created)
  const statement = {
    id: queryJobId,
    query: sql,
    status,
    numberOfRows: rows.length,
    createdAt: at,
    completedAt: at,
  }
  const failed = status === 'failed' && { error: message }
  return { queryJobId, status, createdAt: at, changedAt: at, statements: [{ ...statement, ...failed }] }
}

routes.get(`${queryPath}/{statementId}/results`, {
  summary: 'Rows of a query of a workspace',
  query: z.object({
    offset: integer({ max: MAX_ROWS }).default(0),
    pageSize: integer({ min: 1, max: MAX_ROWS }).default(PAGE_ROWS),
  }),
  replies: { 200: 'The rows from `offset` on', ...replies },
  reply: z.object({
    status: z.string(),
    message: z.string(),
    columns: z.array(z.object({ name: z.string(), type: z.string() })),
    data: z.array(z.array(z.unknown())),
    numberOfRows: z.int(),
    rowsAffected: z.int(),
  }),
  handle: async ({ params, query: { offset, pageSize }, caller }, services) => {
    const { rows, status, message, columns } = await findQuery(params.queryJobId, caller, services)
    if (params.statementId !== params.queryJobId) throw notFound('The query has no such statement.')
    const data = rows.slice(offset, offset + pageSize)
    return { status, message, columns, data, numberOfRows: rows.length, rowsAffected: 0 }
  },
})

const findQuery = async (
  queryJobId: string,
  caller: Caller,
  { files, fileAccess }: Services,
): Promise<Outcome & { file: FileRecord }> => {
  const file = await findFile(files, queryJobId, caller)
  // Anybody may give a file this tag.
  if (!file.tags.includes(TAG) || file.isSliced || file.sizeBytes > MAX_FILE_BYTES) throw fileNotFound()
  const kept = await fileAccess.read(file)
  try {
    return { ...outcome.parse(JSON.parse(kept ?? '')), file }
  } catch {
    throw fileNotFound()
  }
}
