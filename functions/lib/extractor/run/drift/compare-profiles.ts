import type { DriftSettings } from '../../config/drift-schema.ts'
import type { ColumnProfile, TableProfile } from './table-profile.ts'
import { widest } from './value-kind.ts'

/** How one table differs from the last run. */
export interface DriftChange {
  table: string
  /** Absent: the table as a whole. */
  column?: string
  change: 'new' | 'vanished' | 'type' | 'empties' | 'noRows'
  before?: string
  after?: string
}

interface Compared {
  table: string
  before: TableProfile
  now: TableProfile
  /** The rows are all that there are, not only those that changed. */
  isWhole: boolean
}

/** What differs in columns, kinds and shares of empty cells (docs/reference/extractor-drift.md). */
export const compareProfiles = (
  { table, before, now, isWhole }: Compared,
  { emptyShare, minRows }: Pick<DriftSettings, 'emptyShare' | 'minRows'>,
): DriftChange[] => {
  if (now.rows === 0)
    return isWhole && before.rows > 0
      ? [
          {
            table,
            change: 'noRows',
            before: before.rows === 1 ? '1 row' : `${before.rows} rows`,
            after: 'none',
          },
        ]
      : []
  const known = new Map(before.columns.map(column => [column.name, column]))
  const found = new Map(now.columns.map(column => [column.name, column]))
  const areMany = before.rows >= minRows && now.rows >= minRows

  const changeOf = (column: ColumnProfile): DriftChange | undefined => {
    const earlier = known.get(column.name)
    const place = { table, column: column.name }
    if (earlier === undefined) return { ...place, change: 'new', after: column.kind ?? 'empty' }
    const [was, is] = [earlier.empty / before.rows, column.empty / now.rows]
    // A table keeps the columns of earlier runs: a field that no row has any more is one without values
    if (is === 1 && was < 1 && (isWhole || areMany))
      return { ...place, change: 'vanished', before: described(earlier), after: 'empty' }
    if (widest(earlier.kind, column.kind) !== earlier.kind && earlier.kind !== null)
      return { ...place, change: 'type', before: earlier.kind, after: column.kind ?? 'empty' }
    if (areMany && Math.abs(is - was) > emptyShare)
      return { ...place, change: 'empties', before: percent(was), after: percent(is) }
    return undefined
  }

  return [
    ...now.columns.flatMap(column => changeOf(column) ?? []),
    ...before.columns
      .filter(({ name }) => !found.has(name))
      .map(
        (column): DriftChange => ({
          table,
          column: column.name,
          change: 'vanished',
          before: described(column),
          after: 'no column',
        }),
      ),
  ]
}

/** What the next run is compared with: columns as they are now, of the widest kind seen, so that a part of all rows does not narrow it. */
export const nextProfile = (before: TableProfile | undefined, now: TableProfile): TableProfile => {
  if (before !== undefined && now.rows === 0) return before
  const known = new Map(before?.columns.map(column => [column.name, column.kind]))
  return {
    rows: now.rows,
    columns: now.columns.map(column => ({
      ...column,
      kind: widest(known.get(column.name) ?? null, column.kind),
    })),
  }
}

const described = ({ kind }: ColumnProfile): string => kind ?? 'empty'

const percent = (share: number): string => `${Math.round(share * 1000) / 10} % empty`

export const sentenceOfChange = ({ table, column, change, before, after }: DriftChange): string => {
  switch (change) {
    case 'new':
      return `table '${table}' has a new column '${column}' (${after})`
    case 'vanished':
      return `table '${table}' has no values in '${column}' any more (it was ${before})`
    case 'type':
      return `'${column}' of table '${table}' was ${before} and is ${after}`
    case 'empties':
      return `'${column}' of table '${table}' was ${before} and is ${after}`
    case 'noRows':
      return `table '${table}' has no rows (it had ${before})`
  }
}
