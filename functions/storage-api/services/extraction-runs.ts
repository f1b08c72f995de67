import type { DescribeRun } from '../../lib/storage/runs/describe-run.ts'
import type { RunRecords } from '../../lib/storage/runs/run-records.ts'

/** Runs of configurations, however they were started. `get` gives one as its items say. */
export interface ExtractionRuns extends Pick<RunRecords, 'list' | 'get' | 'noteProgress'> {
  /**
   * For what one request wants to know of single runs. Step Functions is asked about the first one whose end is not among
   * the items, and about no other: an account may ask for ten a second (docs/limits.md).
   */
  look: () => { get: DescribeRun }
  stop: StopRun
}

/** Stops the execution of a run; one that has ended, or never began, stays as it is. */
type StopRun = (name: string, reason: { code: string; message: string }) => Promise<void>

export const createExtractionRuns = (
  runs: RunRecords,
  describe: DescribeRun,
  stop: StopRun,
): ExtractionRuns => ({
  ...runs,
  stop,
  look: () => {
    let hasAsked = false
    return {
      get: async id => {
        const known = await runs.get(id)
        if (hasAsked || (known !== undefined && known.status !== 'RUNNING')) return known
        hasAsked = true
        const described = await describe(id)
        return described ? { ...known, ...described } : known
      },
    }
  },
})
