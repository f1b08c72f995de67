import { safeName } from '../php/safe-name.ts'
import type { TableSink } from '../tables/sink-types.ts'
import type { KeySet } from './key-set.ts'
import type { MarkedJob } from './marked-jobs.ts'

const ROWS_AT_ONCE = 1_000

interface GoneOptions extends MarkedJob {
  /** Columns that the run adds to each row. */
  given: readonly string[]
  sink: TableSink
}

/** Rows with their key and the mark, all else empty. */
export const writeGone = (
  gone: KeySet['keys'],
  { job, dataType, column, given, sink }: GoneOptions,
): void => {
  const columns = job.primaryKey ?? []
  const rows = gone.map(key => new Map(columns.map((name, position) => [name, key[position] ?? ''])))
  // The columns of a run are the same for all rows that are added at once
  const alike = Map.groupBy(rows, row => JSON.stringify(given.map(name => row.get(safeName(name)) ?? '')))
  const isGiven = new Set(given.map(safeName))
  for (const [values, group] of alike) {
    const ofRun: string[] = JSON.parse(values)
    const parent = Object.fromEntries([...given.map((name, at) => [name, ofRun[at] ?? '']), [column, '1']])
    const items = group.map(row => Object.fromEntries([...row].filter(([name]) => !isGiven.has(name))))
    for (let at = 0; at < items.length; at += ROWS_AT_ONCE)
      sink.add(dataType, items.slice(at, at + ROWS_AT_ONCE), { parent })
  }
}
