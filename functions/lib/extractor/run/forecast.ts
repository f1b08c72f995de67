import * as z from 'zod'
import type { Api } from '../config/api-schema.ts'
import { completenessOf } from '../config/completeness-schema.ts'
import { windowsOf } from '../config/incremental-schema.ts'
import { MAX_PAGES } from '../paging/completeness/run-watch.ts'
import { budgetSeconds } from '../requests/http/reserve-requests.ts'
import type { JobPlan } from './job-plan.ts'

const count = z.number().min(0)

const lastJob = z.object({
  job: z.string(),
  endpoint: z.string(),
  dataType: z.string(),
  runs: count,
  pages: count,
})

const lastRun = z.object({
  requests: count,
  seconds: count,
  rows: count.optional(),
  jobs: z.array(lastJob.optional().catch(undefined)).catch([]),
})

/** What a run that ended well had needed. */
export type LastRun = z.infer<typeof lastRun>

/** @returns undefined when there was none, or it is of another form */
export const readLastRun = (value: unknown): LastRun | undefined => lastRun.safeParse(value).data

/** What is known of the requests of a job before the first of them. */
export interface KnownRequests {
  /** For each row of `parent`, if there is one. */
  least: number
  parent: string | undefined
  /** What there may be more of. */
  unknown: string[]
}

interface KnownRequestsOptions {
  plan: JobPlan
  parent: JobPlan | undefined
  /** How many windows are to be read. Undefined: the job has none, or they depend on the parent row. */
  windows: number | undefined
  pagination: Api['pagination']
  /** Runs of jobs are watched for circles. */
  isBounded: boolean
}

export const knownRequests = ({
  plan,
  parent,
  windows = 1,
  pagination,
  isBounded,
}: KnownRequestsOptions): KnownRequests => ({
  least: windows * requestsOfRun(plan),
  parent: parent?.dataType,
  unknown: [
    ...(parent !== undefined && windowsOf(plan.job) !== undefined ? ['windows'] : []),
    ...(plan.job.report === undefined ? [] : ['polls']),
    ...(isPaged(plan, pagination)
      ? [isBounded ? `at most ${MAX_PAGES.toLocaleString('en-US')} pages` : 'pages']
      : []),
  ],
})

interface JobForecast {
  plan: JobPlan
  /** With several iterations such as `1/`. */
  prefix: string
  requests: KnownRequests
  last: LastRun | undefined
  mask: (text: string) => string
}

/** The forecast of one job, and what it needed in the last run. */
export const forecastJob = ({ plan, prefix, requests, last, mask }: JobForecast): string[] => {
  const { least, parent, unknown } = requests
  const all = [...(parent === undefined ? [] : [`rows of ${parent}`]), ...unknown]
  const before = last?.jobs.find(
    job =>
      job?.job === `${prefix}${plan.path}` &&
      // A job that has changed since may need more or less
      job.endpoint === mask(plan.job.endpoint) &&
      job.dataType === mask(plan.dataType),
  )
  return [
    `  requests: ${least}${unknown.length === 0 ? '' : ' or more'}${parent === undefined ? '' : ` for each row of ${parent}`}${
      all.length === 0 ? '' : ` (${all.join(', ')}: unknown before the first answer)`
    }`,
    ...(before === undefined ? [] : [`  last run: ${before.pages} pages in ${before.runs} runs of the job`]),
  ]
}

interface RunForecast {
  known: readonly KnownRequests[]
  api: Api
  last: LastRun | undefined
}

export const forecastRun = ({ known, api, last }: RunForecast): string[] => {
  const least = known.reduce((sum, job) => sum + (job.parent === undefined ? job.least : 0), 0)
  const isAll = known.every(({ parent, unknown }) => parent === undefined && unknown.length === 0)
  const requests = last === undefined ? least : Math.max(least, last.requests)
  const { budget } = api.http ?? {}
  const budgeted = budget === undefined ? 0 : budgetSeconds(requests, budget)
  return [
    'Forecast, without logins, redirects and retries',
    `  requests: ${isAll ? least : `at least ${least}; the others are unknown before the first answer`}`,
    ...(last === undefined
      ? ['  last run: none is known', '  time: unknown before the first answer']
      : [
          `  last run: ${last.requests} requests in ${rounded(last.seconds)} s`,
          `  time: about ${rounded(Math.max(last.seconds, budgeted))} s, if it is like the last run`,
        ]),
    ...(budget === undefined
      ? ["  budget: none is set; the API's own limits are unknown before the first answer"]
      : [
          `  budget: ${budget.requests} requests in ${budget.seconds} s, so ${requests} requests need at least ${rounded(budgeted)} s; more when other runs share it`,
        ]),
    ...exceeded(api.limits, { requests, seconds: Math.max(last?.seconds ?? 0, budgeted), rows: last?.rows }),
  ]
}

/** A report is made, polled and read; pages that are read until two passes agree are read at least twice. */
const requestsOfRun = ({ job: { completeness, report } }: JobPlan): number => {
  const passes = completeness !== undefined && completenessOf(completeness).mode === 'repair' ? 2 : 1
  return passes + (report === undefined ? 0 : 2)
}

const isPaged = ({ job }: JobPlan, pagination: Api['pagination']): boolean =>
  pagination !== undefined &&
  (pagination.method !== 'multiple' || Boolean(job.scroller || pagination.default))

interface Expected {
  requests: number
  seconds: number
  rows: number | undefined
}

const exceeded = (limits: Api['limits'] = {}, { requests, seconds, rows = 0 }: Expected): string[] => {
  const end = limits.do === 'stop' ? 'would end there with what it has' : 'would fail'
  return [
    [limits.requests, requests, 'requests'] as const,
    [limits.minutes, seconds / 60, 'minutes'] as const,
    [limits.rows, rows, 'rows'] as const,
  ].flatMap(([limit, expected, unit]) =>
    limit === undefined || expected <= limit
      ? []
      : [`  limit of ${limit} ${unit} ("api.limits"): ${rounded(expected)} are expected, so the run ${end}`],
  )
}

const rounded = (number: number): number => Math.round(number * 10) / 10
