import { z } from '@hono/zod-openapi'
import { isAliased } from '#lib/storage/tables/aliases/resolve-alias.ts'
import { aliasHoldsNoRows } from '#lib/storage/tables/table-errors.ts'
import { profileBody } from '../../lib/wire/profile-body.ts'
import { findTableWithFiles } from '../find/find-table.ts'
import { textList } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'

/** What one request has the time for. */
const MAX_ROWS = 100_000
const MAX_BYTES = 64_000_000
const MAX_COLUMNS = 100

/** What the columns of a table hold, of its first rows. */
export const profileTable = defineRoute({
  method: 'get',
  path: '/v2/storage/tables/{tableId}/profile',
  summary: 'Profile the columns of a table',
  tag: 'tables',
  query: z.object({ columns: textList({ max: MAX_COLUMNS }).default([]) }),
  validationCode: 'storage.tables.validation',
  replies: {
    200: `The columns, of the first ${MAX_ROWS} rows and ${MAX_BYTES / 1_000_000} MB at most`,
    400: '`storage.tables.validation.columnNotExists`, or `storage.tables.aliasImportNotAllowed` for an alias',
    404: 'There is no such table',
  },
  reply: profileBody,
  handle: async ({ params, query }, services) => {
    const table = await findTableWithFiles(services, params.tableId)
    if (isAliased(table)) throw aliasHoldsNoRows(table.alias.record)
    const { snapshot } = table
    const all = snapshot.fields.map(({ name }) => name)
    const columns = query.columns.length > 0 ? query.columns : all.slice(0, MAX_COLUMNS)
    const engine = await services.tableEngine()
    const { bytesRead: _, ...profile } = await engine.profile(snapshot, {
      columns,
      maxRows: MAX_ROWS,
      maxBytes: MAX_BYTES,
    })
    const isSample = profile.profiledRowsCount < profile.rowsCount
    return ok({ ...profile, isSample, columnsCount: all.length })
  },
})
