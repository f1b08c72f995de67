import type { Log } from '../masking/log.ts'
import { safeName } from '../php/safe-name.ts'
import {
  IGNORED_BY_RULE,
  type JobSummary,
  type RunStatistics,
  STOPPED_BY_RULE,
} from '../runner/run-statistics.ts'
import type { Json } from '../tables/json-value.ts'
import type { TableSink } from '../tables/sink-types.ts'
import type { KeyLogs } from './key-logs.ts'
import { type KeySet, type KeySets, MAX_KEYS, readKeySet, tooManyKeys } from './key-set.ts'
import type { MarkedJob } from './marked-jobs.ts'

interface MarkOptions {
  jobs: readonly MarkedJob[]
  /** Of each iteration. */
  statistics: readonly RunStatistics[]
  /** Whether the run ended at its limit. */
  isCut: boolean
  logs: KeyLogs
  /** By table: what the key sets gave to keep. */
  kept: Readonly<Record<string, Json>>
  keySets: KeySets
  sinkOf: (index: number) => TableSink
  log: Log
}

const ROWS_AT_ONCE = 1_000

/**
 * After the last page: rows that earlier runs read and this one did not, as rows with their key and a mark. Only when this run
 * was complete; else its keys are added to those of the runs before (docs/reference/extractor-jobs.md#deletions).
 */
export const markDeletions = async (
  options: MarkOptions,
): Promise<{ kept: Record<string, Json>; warnings: string[] }> => {
  const { jobs, statistics, logs, keySets, log } = options
  const kept = { ...options.kept }
  const warnings: string[] = []
  const warn = (message: string): void => {
    warnings.push(message)
    log.warning(message)
  }
  for (const [table, ofTable] of Map.groupBy(jobs, job => job.table)) {
    const [first] = ofTable
    if (first === undefined) continue
    const { dataType } = first
    const { withoutKey = 0, given } = logs.find(table) ?? {}
    const isWhole =
      !options.isCut && ofTable.every(({ index, path }) => wasWhole(statistics[index]?.all() ?? [], path))
    const problem = !isWhole
      ? 'it is not known to have all rows'
      : withoutKey > 0
        ? `${withoutKey.toLocaleString('en-US')} of its rows have no key`
        : undefined
    if (problem !== undefined) warn(`Deletions of '${dataType}' were not looked for: ${problem}.`)
    const columns = first.job.primaryKey ?? []
    const found = kept[table]
    const read = found === undefined ? undefined : await readKeySet(keySets, found)
    const before = read?.columns.join() === columns.join() ? read : undefined
    if (found !== undefined && before === undefined)
      warn(
        `Deletions of '${dataType}' were not looked for: the keys of the last run are not there, or have other columns.`,
      )
    const now = await logs.read(table)
    const missing = (before?.keys ?? []).filter(key => !now.has(JSON.stringify(key)))
    const nowKeys = Array.from(now, key => JSON.parse(key) as string[]) // as the log wrote it
    const addedColumns = given ?? before?.given ?? []
    if (problem === undefined) {
      writeGone(missing, { ...first, given: addedColumns, sink: options.sinkOf(first.index) })
      statistics[first.index]?.deleted(first.path, missing.length)
      if (missing.length > 0)
        log.info(
          `${missing.length.toLocaleString('en-US')} rows of '${dataType}' are gone: they have 1 in "${first.column}".`,
        )
    }
    // What a run that is not complete has read goes to the table too, and may be gone by the next one
    const keys = problem === undefined ? nowKeys : [...missing, ...nowKeys]
    if (keys.length > MAX_KEYS) throw tooManyKeys(dataType, MAX_KEYS)
    kept[table] = await keySets.write({ columns: [...columns], given: addedColumns, keys })
  }
  return { kept, warnings }
}

/** Whether every run of a job was complete, and of the jobs above it. */
const wasWhole = (summaries: readonly JobSummary[], path: string): boolean => {
  const steps = path.split('.')
  return steps.every((_, depth) => {
    const place = steps.slice(0, depth + 1).join('.')
    const summary = summaries.find(({ job }) => job.replace(/^.*\//, '') === place)
    if (summary === undefined) return true // no parent row, no run
    const { runs, ended, completeness } = summary
    const isCut = Object.hasOwn(ended, STOPPED_BY_RULE) || Object.hasOwn(ended, IGNORED_BY_RULE)
    return !isCut && (completeness?.complete ?? 0) === runs
  })
}

const writeGone = (
  gone: KeySet['keys'],
  { job, dataType, column, given, sink }: MarkedJob & { given: readonly string[]; sink: TableSink },
): void => {
  const columns = job.primaryKey ?? []
  const rows = gone.map(key => new Map(columns.map((name, position) => [name, key[position] ?? ''])))
  // The columns of a run are the same for all rows that are added at once
  const alike = Map.groupBy(rows, row => JSON.stringify(given.map(name => row.get(safeName(name)) ?? '')))
  for (const [values, group] of alike) {
    const ofRun: string[] = JSON.parse(values)
    const parent = Object.fromEntries([...given.map((name, at) => [name, ofRun[at] ?? '']), [column, '1']])
    const isGiven = new Set(given.map(safeName))
    const items = group.map(row => Object.fromEntries([...row].filter(([name]) => !isGiven.has(name))))
    for (let at = 0; at < items.length; at += ROWS_AT_ONCE)
      sink.add(dataType, items.slice(at, at + ROWS_AT_ONCE), { parent })
  }
}
