import { z } from '@hono/zod-openapi'
import { cutText } from '../../lib/cut-text.ts'
import { UserError } from '../../lib/errors/errors.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { snapshotNotFound } from '../../lib/storage/snapshots/snapshot-store.ts'
import { rowSource } from '../../lib/storage/tables/aliases/row-source.ts'
import { formatRecord } from '../../lib/table-engine/csv/format-records.ts'
import type { Snapshot } from '../../lib/table-engine/files/snapshot.ts'
import { findTableWithFiles } from '../find/find-table.ts'
import { flag, integer, text } from '../http/fields.ts'
import { recordEvent } from '../http/record-event.ts'
import { csv, ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import type { Caller } from '../services/authenticate.ts'
import type { Services } from '../services/services.ts'
import { findSnapshot } from '../snapshots/snapshots.ts'
import { refuseHiddenColumns } from './refuse-hidden-columns.ts'
import { readRowQuery, rowQueryFields } from './row-query.ts'

const DEFAULT_ROWS = 100
const MAX_ROWS = 1000
/** As stored: what a request reads of a table and sorts in some ten seconds, of the 28 that it has. */
const MAX_BYTES = 256 * 1024 ** 2
const MAX_CELL_LENGTH = 16_384
/** Further on, an export or a filter is quicker. */
const MAX_OFFSET = 1_000_000

/**
 * Rows of a table, the first ones unless `offset` says else, as CSV or, with `format=json`, cell by cell with long values truncated: there
 * `countRows` adds how many rows match. What would have to read too much of the table is
 * refused: CSV has no place to say that rows are missing. With `snapshotId` the rows are those of a snapshot that was kept of it.
 */
export const previewTable = defineRoute({
  method: 'get',
  path: '/v2/storage/tables/{tableId}/data-preview',
  summary: 'Preview the rows of a table',
  tag: 'tables',
  query: z.object({
    limit: integer({ max: MAX_ROWS }).default(0),
    offset: integer({ max: MAX_OFFSET }).default(0),
    format: text().default('rfc'),
    countRows: flag().default(false),
    snapshotId: integer().optional(),
    ...rowQueryFields,
  }),
  validationCode: 'storage.tables.validation',
  replies: { 200: 'The rows', 400: 'The query is wrong, or reads too much', 404: 'There is no such table' },
  replyType: 'text/csv',
  reply: z.string().openapi({ example: '"id","city"\n"1","Prague"\n' }),
  handle: async (request, services) => {
    const { params, query } = request
    const { format } = query
    if (format !== 'rfc' && format !== 'json')
      throw new UserError(
        'storage.tables.validation.invalidFormat',
        `Invalid format "${format.slice(0, 50)}". There are "rfc" and "json".`,
      )
    if (format === 'rfc' && query.countRows)
      throw new UserError(
        'storage.tables.validation.invalidFormat',
        'A count has no place in CSV: ask for format=json.',
      )
    const table = await findTableWithFiles(services, params.tableId)
    const asked = readRowQuery(query, services.now())
    refuseHiddenColumns(request.caller, table, asked)
    const kept = await keptSnapshot(request, services)
    const { snapshot, query: rowQuery } = kept ? { snapshot: kept, query: asked } : rowSource(table, asked)
    const engine = await services.tableEngine()
    // One client sends 0 for "not set".
    const { columns, rows } = await engine.preview(snapshot, {
      ...rowQuery,
      limit: query.limit || DEFAULT_ROWS,
      offset: query.offset,
      maxBytes: MAX_BYTES,
    })
    const event = auditEvent('tableDataPreview', { id: params.tableId, name: table.name })
    await recordEvent(request, services, event)
    if (format === 'rfc') return csv([columns, ...rows].map(formatRecord).join(''))
    const { columns: _, orderBy: __, ...conditions } = rowQuery
    const counted = query.countRows
      ? await engine.count(snapshot, { ...conditions, maxBytes: MAX_BYTES })
      : undefined
    return ok({
      ...counted,
      columns,
      rows: rows.map(row => row.map((value, index) => previewCell(columns[index] ?? '', value))),
    })
  },
})

/** The rows of then, in place of those of now. Error: 404 `storage.snapshots.notFound`, also for a snapshot of another table. */
const keptSnapshot = async (
  {
    params,
    query,
    caller,
  }: { params: { tableId: string }; query: { snapshotId?: number | undefined }; caller: Caller },
  services: Services,
): Promise<Snapshot | undefined> => {
  if (query.snapshotId === undefined) return undefined
  const { table, snapshot } = await findSnapshot(services, String(query.snapshotId), caller)
  if (table.id !== params.tableId) throw snapshotNotFound(query.snapshotId)
  return snapshot
}

const previewCell = (columnName: string, value: string | null) => ({
  columnName,
  value: value === null ? null : cutText(value, MAX_CELL_LENGTH),
  isTruncated: (value?.length ?? 0) > MAX_CELL_LENGTH,
})
