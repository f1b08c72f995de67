import type { JobSummary } from '../runner/run-statistics.ts'

/** Why a job, or one above it, may not have read all of its rows. */
export const whyNotWhole = (summaries: readonly JobSummary[], path: string): string | undefined => {
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
