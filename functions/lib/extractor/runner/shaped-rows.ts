import type { Shaper } from '../records/create-shaper.ts'
import type { Json } from '../tables/json-value.ts'
import type { JobContext } from './job-context.ts'
import type { JobRun } from './job-run.ts'
import { expressionContexts } from './start-run.ts'

/** Rows in memory at once: a list of an item may become very many. */
const ROWS_AT_ONCE = 1000

/** What `records` makes of the items of a page, some at a time. */
export function* shapedRows(
  { plan, rows: above }: JobRun,
  shape: Shaper,
  items: readonly Json[],
  context: JobContext,
): Generator<Json[]> {
  const { statistics, now } = context
  const shaped = shape(items, {
    contexts: expressionContexts(context, above),
    now: Math.floor(now()),
    onCast: (field, outcome) => statistics.cast(plan, field, outcome),
  })
  let rows: Json[] = []
  for (const row of shaped) {
    rows.push(row)
    if (rows.length < ROWS_AT_ONCE) continue
    yield rows
    rows = []
  }
  if (rows.length > 0) yield rows
}
