import type { JobPlan } from './job-plan.ts'

/** What one job did, its runs for all parent rows together. */
export interface JobSummary {
  /** Position in the configuration: `0`, or `0.1` for a child; with several iterations `1/0.1`. */
  job: string
  endpoint: string
  dataType: string
  runs: number
  pages: number
  rows: number
  /** Why runs ended, with how often. */
  ended: Record<string, number>
}

/** In the summary, so that the next leg knows it too. */
const stoppedByRule = 'an error rule ended the job'

export interface RunStatistics {
  started(plan: JobPlan): void
  page(plan: JobPlan): void
  rows(plan: JobPlan, count: number): void
  ended(plan: JobPlan, reason: string): void
  /** By an error rule: no further page of the job is read, in any of its runs. */
  stopped(plan: JobPlan): void
  isStopped(plan: JobPlan): boolean
  rowsOf(plan: JobPlan): number
  all(): JobSummary[]
}

/** @param before summaries of the legs before, when the run resumes from a checkpoint */
export const createRunStatistics = (prefix: string, before: readonly JobSummary[] = []): RunStatistics => {
  const jobs = new Map<string, JobSummary>(before.map(summary => [summary.job, structuredClone(summary)]))
  const of = (plan: JobPlan): JobSummary => {
    const job = `${prefix}${plan.path}`
    const found = jobs.get(job)
    if (found !== undefined) return found
    const { endpoint } = plan.job
    const made: JobSummary = { job, endpoint, dataType: plan.dataType, runs: 0, pages: 0, rows: 0, ended: {} }
    jobs.set(job, made)
    return made
  }
  const ended = (plan: JobPlan, reason: string): void => {
    const reasons = of(plan).ended
    reasons[reason] = (reasons[reason] ?? 0) + 1
  }
  return {
    started: plan => {
      of(plan).runs++
    },
    page: plan => {
      of(plan).pages++
    },
    rows: (plan, count) => {
      of(plan).rows += count
    },
    ended,
    stopped: plan => ended(plan, stoppedByRule),
    isStopped: plan => Object.hasOwn(of(plan).ended, stoppedByRule),
    rowsOf: plan => of(plan).rows,
    all: () => [...jobs.values()],
  }
}
