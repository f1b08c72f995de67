import pMap from 'p-map'
import { quoteIdentifier, quoteLiteral } from '../duckdb/sql.ts'
import type { EngineContext } from '../files/engine-context.ts'
import type { SliceForm } from '../files/export-slice.ts'
import type { ObjectAddress } from '../files/table-files.ts'
import { openTableFile } from '../parquet/open-table-file.ts'
import type { ExportResult } from '../rows/export-request.ts'
import { rowRanges, scanRows } from '../rows/scan-files.ts'
import { groupsInRange, type OrderRange } from './cut-order.ts'
import type { SortedRun } from './sort-run.ts'
import { writeSortedSlices } from './write-sorted-slices.ts'

const RUNS_AT_ONCE = 8

export interface ExportRangeRequest extends SliceForm {
  runs: SortedRun[]
  range: OrderRange
  /** Names of `c0`, `c1`, ... of the runs. */
  columns: string[]
  /** Default: no limit. */
  limit?: number | undefined
  /** Prefix of the slices. */
  target: ObjectAddress
}

/** Writes the rows of a range of the order, from all runs, as slices. None when there are no rows. */
export const exportRange = async (
  context: EngineContext,
  { runs, range, columns, limit, ...form }: ExportRangeRequest,
): Promise<ExportResult> => {
  const { session } = context
  await session.fitTo(columns.length)
  const parts = await pMap(runs, (run, index) => openRun(context, run, { index, range }), {
    concurrency: RUNS_AT_ONCE,
  })
  const scans = parts.flat()
  if (scans.length === 0) return { slices: [], rowsCount: 0 }
  const bounds = [
    ...(range.from === undefined ? [] : [`sort_key >= unhex(${quoteLiteral(range.from)})`]),
    ...(range.to === undefined ? [] : [`sort_key < unhex(${quoteLiteral(range.to)})`]),
  ]
  return writeSortedSlices(context, {
    ...form,
    select: `
      SELECT ${columns.map((name, index) => `c${index} AS ${quoteIdentifier(name)}`).join(', ')}
      FROM (${scans.join(' UNION ALL ')})
      ${bounds.length === 0 ? '' : `WHERE ${bounds.join(' AND ')}`}
      ORDER BY sort_key
      ${limit === undefined ? '' : `LIMIT ${limit}`}`,
  })
}

/** Brings the row groups of a run here that may have rows of the range. */
const openRun = async (
  context: EngineContext,
  run: SortedRun,
  { index, range }: { index: number; range: OrderRange },
): Promise<string[]> => {
  const rowGroups = groupsInRange(run, range)
  if (rowGroups.length === 0) return []
  const opened = await openTableFile(context, { ...run }, `run-${index}`)
  if (opened.footer.rowGroups.length !== run.firstKeys.length)
    throw new Error(`${run.key} has other row groups than were noted.`)
  await opened.fetch(
    opened.footer.columns.map((_, place) => place),
    rowGroups,
  )
  return rowRanges({ footer: opened.footer, rowGroups }).map(rows => scanRows(['*'], [opened.path], rows))
}
