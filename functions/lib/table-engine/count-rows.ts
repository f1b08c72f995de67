import type { EngineContext } from './files/engine-context.ts'
import { columnNames, type Snapshot } from './files/snapshot.ts'
import { findFiles, neededColumns } from './rows/find-rows.ts'
import { batchFiles, closeFiles, openFiles } from './rows/open-files.ts'
import { createReadLimit } from './rows/read-limit.ts'
import {
  conditionsSql,
  type RowConditions,
  refuseUnknownConditions,
  type SaidType,
  uncomparable,
} from './rows/row-conditions.ts'
import { scanFiles } from './rows/scan-files.ts'

export interface CountQuery extends RowConditions {
  /** Of the columns that are compared, as stored. */
  maxBytes: number
}

export interface CountResult {
  rowsCount: number
  /** Rows that fulfil all other conditions, with a text that one cannot compare: they do not match. */
  uncompared: { column: string; type: SaidType; rowsCount: number; example: string }[]
}

/** See `TableEngine.count`. Counts what `deleteRows` would delete. */
export const countRows = async (
  context: EngineContext,
  snapshot: Snapshot,
  { maxBytes, ...conditions }: CountQuery,
): Promise<CountResult> => {
  const { session } = context
  refuseUnknownConditions(columnNames(snapshot), conditions)
  const where = conditionsSql(conditions, snapshot)
  if (where === undefined) return { rowsCount: snapshot.rowsCount, uncompared: [] }
  const wanted = neededColumns(snapshot, { ...conditions, columns: [] })
  const found = findFiles(snapshot, conditions)
  createReadLimit(wanted, maxBytes)(found.map(({ file }) => file))
  await session.fitTo(snapshot.fields.length)
  const uncompared = comparedTexts(conditions, snapshot)
  const counts = [
    `count(*) FILTER (${where})`,
    ...uncompared.flatMap(({ sql, text }) => [`count(*) FILTER (${sql})`, `min(${text}) FILTER (${sql})`]),
  ]
  const result: CountResult = {
    rowsCount: 0,
    uncompared: uncompared.map(({ column, type }) => ({ column, type, rowsCount: 0, example: '' })),
  }
  for (const files of batchFiles(found)) {
    const sources = await openFiles(context, { files, wanted })
    const [[matching, ...others] = []] = await session.query(
      `SELECT ${counts.join(', ')} FROM (${scanFiles(sources, wanted)})`,
    )
    result.rowsCount += Number(matching ?? 0)
    for (const [index, each] of result.uncompared.entries()) {
      each.rowsCount += Number(others[2 * index] ?? 0)
      each.example ||= String(others[2 * index + 1] ?? '')
    }
    await closeFiles(sources)
  }
  return { ...result, uncompared: result.uncompared.filter(each => each.rowsCount > 0) }
}

const comparedTexts = (conditions: RowConditions, snapshot: Snapshot) =>
  (conditions.where ?? []).flatMap((filter, index) => {
    const field = snapshot.fields.find(({ name }) => name === filter.column)
    const found = field && uncomparable(filter, field)
    if (!found) return []
    const others = conditionsSql(
      { ...conditions, where: conditions.where?.toSpliced(index, 1) ?? [] },
      snapshot,
    )
    return [{ ...found, column: filter.column, sql: `(${found.sql}) AND (${others ?? 'true'})` }]
  })
