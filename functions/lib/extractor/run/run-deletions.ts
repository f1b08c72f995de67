import type { ExtractorConfig } from '../config/parse-config.ts'
import type { Log } from '../requests/masking/log.ts'
import type { TableSink } from '../tables/sink-types.ts'
import { KeyLogs, type SavedKeyLogs } from './deletions/key-logs.ts'
import { keySetsInState } from './deletions/key-set.ts'
import { markedJobs } from './deletions/marked-jobs.ts'
import type { ExtractOptions } from './extract-options.ts'
import type { JobContext } from './job-context.ts'
import { markDeletions } from './mark-deletions.ts'
import type { RunStatistics } from './run-statistics.ts'
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
