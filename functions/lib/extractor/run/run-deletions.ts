import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../json/json-value.ts'
import type { ExtractorConfig } from '../config/parse-config.ts'
import type { Log } from '../requests/masking/log.ts'
import type { TableSink } from '../tables/sink-types.ts'
import { safeName } from '../values/php/safe-name.ts'
import { KeyLogs, type SavedKeyLogs } from './deletions/key-logs.ts'
import {
  type KeySet,
  type KeySets,
  keySetsInState,
  MAX_KEYS,
  readKeySet,
  tooManyKeys,
} from './deletions/key-set.ts'
import { type MarkedJob, markedJobs } from './deletions/marked-jobs.ts'
import type { ExtractOptions } from './extract-options.ts'
import type { JobContext } from './job-context.ts'
import type { JobSummary, RunStatistics } from './run-statistics.ts'
import type { InputState } from './state.ts'

interface EndedRun {
  statistics: readonly RunStatistics[]
  reached: string | undefined
  sinkOf: (index: number) => TableSink
}

interface DeletionsOptions {
  parsed: ExtractorConfig
  options: Pick<ExtractOptions, 'spoolDir' | 'maxRows' | 'keySets'>
  state: InputState
  saved: SavedKeyLogs | undefined
  log: Log
}

/**
 * A preview marks and remembers nothing.
 *
 * @throws UserError `extractor.config.invalid` for a job of which nobody could say which rows are gone
 */
export const createRunDeletions = ({ parsed, options, state, saved, log }: DeletionsOptions) => {
  const marked = markedJobs(parsed)
  const jobs = options.maxRows === undefined ? marked : []
  const logs = new KeyLogs(options.spoolDir, saved)
  return {
    /** Keeps the keys of the rows of an iteration; `undefined` when no job of it marks what is gone. */
    noteKeys: (iteration: number): JobContext['noteKeys'] => {
      const byPath = new Map(jobs.filter(({ index }) => index === iteration).map(job => [job.path, job]))
      if (byPath.size === 0) return undefined
      return ({ plan, columns }, items) => {
        const job = byPath.get(plan.path)
        if (job !== undefined) logs.note(job, columns, items)
      }
    },
    save: (): SavedKeyLogs | undefined => logs.save(),
    /** After the last page. `kept` is for the state. */
    mark: async (run: EndedRun) => {
      const keySets = options.keySets ?? keySetsInState
      const marks = await markDeletions({ ...run, jobs, logs, kept: state.keySets, keySets, log })
      logs.remove()
      return marks
    },
  }
}

interface MarkOptions {
  jobs: readonly MarkedJob[]
  statistics: readonly RunStatistics[]
  /** The sentence about the limit at which the run ended. */
  reached: string | undefined
  logs: KeyLogs
  /** By table: what the key sets gave to keep. */
  kept: Readonly<Record<string, Json>>
  keySets: KeySets
  sinkOf: (index: number) => TableSink
  log: Log
}

/**
 * After the last page: rows that earlier runs read and this one did not, as rows with their key and a mark. Only when this run
 * was complete; else its keys are added to those of the runs before (docs/reference/extractor-jobs.md#deletions).
 */
const markDeletions = async (
  options: MarkOptions,
): Promise<{ kept: Record<string, Json>; warnings: string[] }> => {
  const { jobs, statistics, logs, keySets, log } = options
  const kept = { ...options.kept }
  const warnings: string[] = []
  for (const [table, ofTable] of Map.groupBy(jobs, job => job.table)) {
    const [first] = ofTable
    if (first === undefined) continue
    const { dataType, column } = first
    const columns = first.job.primaryKey ?? []
    const { withoutKey = 0, given } = logs.find(table) ?? {}
    const found = kept[table]
    const read = found === undefined ? undefined : await readKeySet(keySets, found)
    const before = isDeepStrictEqual(read?.columns, columns) ? read : undefined
    const now = await logs.read(table)
    const missing = (before?.keys ?? []).filter(key => !now.has(JSON.stringify(key)))
    const nowKeys = Array.from(now, key => JSON.parse(key) as string[]) // as the log wrote it
    const addedColumns = given ?? before?.given ?? []

    const problem =
      (options.reached === undefined ? undefined : 'the run ended at its limit') ??
      ofTable.map(({ index, path }) => whyNotWhole(statistics[index]?.all() ?? [], path)).find(Boolean) ??
      (withoutKey > 0 ? `${count(withoutKey)} of its rows have no key` : undefined) ??
      emptyProblem(first, now.size, missing.length)
    const lost =
      found === undefined || before !== undefined
        ? undefined
        : read === undefined
          ? 'the keys of the last run are not there'
          : `the keys of the last run are of other columns (${read.columns.join(', ')})`
    for (const why of [problem, lost]) {
      if (why === undefined) continue
      const warning = `Deletions of '${dataType}' were not looked for: ${why}.`
      warnings.push(warning)
      log.warning(warning)
    }
    if (problem === undefined && lost === undefined) {
      writeGone(missing, { ...first, given: addedColumns, sink: options.sinkOf(first.index) })
      statistics[first.index]?.deleted(first.path, missing.length)
      if (missing.length > 0)
        log.info(`${count(missing.length)} rows of '${dataType}' are gone: they have 1 in "${column}".`)
    }
    // What a run that is not complete has read goes to the table too, and may be gone by the next one
    const keys: KeySet['keys'] = problem === undefined ? nowKeys : [...missing, ...nowKeys]
    if (keys.length > MAX_KEYS) throw tooManyKeys(dataType, MAX_KEYS)
    kept[table] = await keySets.write({ columns: [...columns], given: addedColumns, keys })
  }
  return { kept, warnings }
}

/** An empty answer is more often a fault of the API than the end of all rows. */
const emptyProblem = ({ job }: MarkedJob, read: number, known: number): string | undefined => {
  const mayBeEmpty = typeof job.deletions === 'object' && job.deletions.whenEmpty === 'mark'
  if (mayBeEmpty || read > 0 || known === 0) return undefined
  return `no row was read at all, and the last runs read ${count(known)}. If they are really gone, set "whenEmpty": "mark"`
}

const count = (value: number): string => value.toLocaleString('en-US')

/** Why a job, or one above it, may not have read all of its rows. */
const whyNotWhole = (summaries: readonly JobSummary[], path: string): string | undefined => {
  const steps = path.split('.')
  for (const depth of steps.keys()) {
    const place = steps.slice(0, depth + 1).join('.')
    const summary = summaries.find(({ job }) => job.replace(/^.*\//, '') === place)
    if (summary === undefined) return undefined // no parent row, no run
    const { endpoint, runs, completeness, doubts: [doubt] = [] } = summary
    const of = depth === steps.length - 1 ? 'it' : `job '${endpoint}' above it`
    if (doubt !== undefined) return `${of} is not known to have all rows (${doubt})`
    if ((completeness?.complete ?? 0) !== runs) return `${of} is not known to have all rows`
  }
  return undefined
}

const ROWS_AT_ONCE = 1_000

interface GoneOptions extends MarkedJob {
  /** Columns that the run adds to each row. */
  given: readonly string[]
  sink: TableSink
}

/** Rows with their key and the mark, all else empty. */
const writeGone = (gone: KeySet['keys'], { job, dataType, column, given, sink }: GoneOptions): void => {
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
