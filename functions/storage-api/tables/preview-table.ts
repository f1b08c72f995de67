import { z } from 'zod'
import { cutText } from '../../lib/cut-text.ts'
import { UserError } from '../../lib/errors/errors.ts'
import { plural } from '../../lib/plural.ts'
import { snapshotNotFound } from '../../lib/storage/snapshots/snapshot-store.ts'
import { rowSource } from '../../lib/storage/tables/aliases/row-source.ts'
import type { CountResult } from '../../lib/table-engine/count-rows.ts'
import { formatRecord } from '../../lib/table-engine/csv/format-records.ts'
import type { Snapshot } from '../../lib/table-engine/files/snapshot.ts'
import type { RowConditions } from '../../lib/table-engine/rows/row-conditions.ts'
import { parseCondition, valuesOf } from '../../lib/table-engine/rows/written-condition.ts'
import { findTableWithFiles } from '../find/find-table.ts'
import { flag, integer, text } from '../http/fields.ts'
import { recordAudit } from '../http/record-event.ts'
import { csv } from '../http/reply.ts'
import { routesOf } from '../http/route.ts'
import type { Caller, Services } from '../services/services.ts'
import { findSnapshot } from '../snapshots/snapshots.ts'
import { readRowQuery, refuseHiddenColumns, rowQueryFields } from './row-query.ts'
import { MAX_BYTES, where, writtenFilters } from './written-filters.ts'

export const routes = routesOf('tables')

const DEFAULT_ROWS = 100
const MAX_ROWS = 1000
const MAX_CELL_LENGTH = 16_384
/** Further on, an export or a filter is quicker. */
const MAX_OFFSET = 1_000_000

/**
 * Rows of a table, the first ones unless `offset` says else, as CSV or, with `format=json`, cell by cell with long values truncated: there
 * `countRows` adds how many rows match. What would have to read too much of the table is
 * refused: CSV has no place to say that rows are missing. With `snapshotId` the rows are those of a snapshot that was kept of it.
 */
routes.get('/v2/storage/tables/{tableId}/data-preview', {
  summary: 'Preview the rows of a table',
  query: z.object({
    limit: integer({ max: MAX_ROWS }).default(0),
    offset: integer({ max: MAX_OFFSET }).default(0),
    format: text().default('rfc'),
    countRows: flag().default(false),
    snapshotId: integer().optional(),
    where,
    ...rowQueryFields,
  }),
  validationCode: 'storage.tables.validation',
  replies: { 200: 'The rows', 400: 'The query is wrong, or reads too much', 404: 'There is no such table' },
  replyType: 'text/csv',
  reply: z.string().meta({ example: '"id","city"\n"1","Prague"\n' }),
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
    const read = readRowQuery(query, services.now())
    const written = (query.where ?? []).map(parseCondition)
    refuseHiddenColumns(request.caller, table, { ...read, orderBy: [...(read.orderBy ?? []), ...written] })
    const kept = await keptSnapshot(request, services)
    const source = <Query extends RowConditions>(asked: Query) =>
      kept ? { snapshot: kept, query: asked } : rowSource(table, asked)
    const engine = await services.tableEngine()
    const filters = await writtenFilters(written, source, engine)
    const { snapshot, query: rowQuery } = source({ ...read, where: [...(read.where ?? []), ...filters] })
    // One client sends 0 for "not set".
    const { columns, rows } = await engine.preview(snapshot, {
      ...rowQuery,
      limit: query.limit || DEFAULT_ROWS,
      offset: query.offset,
      maxBytes: MAX_BYTES,
    })
    await recordAudit(request, services, 'tableDataPreview', { id: params.tableId, name: table.name })
    if (format === 'rfc') return csv([columns, ...rows].map(formatRecord).join(''))
    const { columns: _, orderBy: __, ...conditions } = rowQuery
    const counted = query.countRows
      ? await engine.count(snapshot, { ...conditions, maxBytes: MAX_BYTES })
      : undefined
    return {
      ...(counted && { rowsCount: counted.rowsCount, stays: counted.uncompared.map(staysSentence) }),
      columns,
      rows: rows.map(row => row.map((value, index) => previewCell(columns[index] ?? '', value))),
    }
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

/** Rows that a condition cannot compare match it in no way, so whoever deletes those that match keeps them. */
const staysSentence = ({ column, type, rowsCount, example }: CountResult['uncompared'][number]): string =>
  `${plural(rowsCount, 'row')} with other values than ${valuesOf(type)} in ${column}, such as "${example}", cannot be compared and never match.`

const previewCell = (columnName: string, value: string | null) => ({
  columnName,
  value: value === null ? null : cutText(value, MAX_CELL_LENGTH),
  isTruncated: (value?.length ?? 0) > MAX_CELL_LENGTH,
})
