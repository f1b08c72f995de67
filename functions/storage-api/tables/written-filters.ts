import { z } from 'zod'
import { columnNames, type Snapshot } from '../../lib/table-engine/files/snapshot.ts'
import { type Filter, refuseUnknownConditions } from '../../lib/table-engine/rows/row-conditions.ts'
import {
  filterOf,
  orderOfText,
  type WrittenCondition,
} from '../../lib/table-engine/rows/written-condition.ts'
import type { TableEngine } from '../../lib/table-engine/table-engine.ts'
import { textList } from '../http/fields.ts'
import { oneAsList } from './row-query.ts'

/** As stored: what a request reads of a table and sorts in some ten seconds, of the 28 that it has. */
export const MAX_BYTES = 256 * 1024 ** 2

/** Such as `delay::number >= 1000`. */
export const where = z.preprocess(oneAsList, textList({ max: 100, itemMax: 100_000 }).optional())

type Source = (query: { where: Filter[]; columns?: string[] }) => {
  snapshot: Snapshot
  query: { where: Filter[]; columns?: string[] }
}

/**
 * The conditions that people wrote, on the rows of a source. Text has an order of its own only where all of it is times, and so is the
 * value: any other comparison must say its type.
 *
 * Errors: 400 `storage.tables.validation`, `storage.tables.validation.columnNotExists`, `storage.preview.tooLarge`.
 */
export const writtenFilters = async (
  written: readonly WrittenCondition[],
  source: Source,
  engine: Pick<TableEngine, 'count' | 'preview'>,
): Promise<Filter[]> => {
  const filters: Filter[] = []
  for (const condition of written) {
    const { column } = condition
    const shows: Filter = { column, operator: 'ne', values: [''] }
    const { snapshot } = source({ where: [shows] })
    refuseUnknownConditions(columnNames(snapshot), { where: [shows] })
    const field = snapshot.fields.find(({ name }) => name === column)
    const found = field && filterOf(condition, field)
    const [other] = found?.isGuess ? await uncomparedBy(found.filter, source, engine) : []
    if (found && !other) filters.push(found.filter)
    else throw orderOfText(condition, other?.example ?? (await exampleOf(shows, source, engine)))
  }
  return filters
}

const uncomparedBy = async (filter: Filter, source: Source, engine: Pick<TableEngine, 'count'>) => {
  const { snapshot, query } = source({ where: [filter] })
  return (await engine.count(snapshot, { ...query, maxBytes: MAX_BYTES })).uncompared
}

const exampleOf = async (
  shows: Filter,
  source: Source,
  engine: Pick<TableEngine, 'preview'>,
): Promise<string | undefined> => {
  const { snapshot, query } = source({ where: [shows], columns: [shows.column] })
  const { rows } = await engine.preview(snapshot, { ...query, limit: 1, maxBytes: MAX_BYTES })
  return rows[0]?.[0]?.slice(0, 100)
}
