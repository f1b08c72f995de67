import * as z from 'zod/mini'
import { anyObject, codeAndMessage, described, wireDateText } from './fields.ts'

const status = z.enum(['waiting', 'processing', 'success', 'error'])

const amount = z.int().check(z.nonnegative())

/** How far a run has come: what its extractor has read of the row that is under way. */
export const runProgress = z.object({
  /** The row, from 1, of so many. */
  row: amount,
  rowsCount: amount,
  rowName: z.string().check(z.maxLength(255)),
  /** From 1. */
  leg: amount,
  pages: amount,
  /** Of the tables, not of the configuration. */
  rows: amount,
  /** Requests that were sent again. */
  retries: amount,
  requests: amount,
  /** Until the API, or a budget, took more requests. */
  waitedSeconds: amount,
})

export type RunProgress = z.infer<typeof runProgress>

/** That a run begins, or how it has ended. */
export type RunState =
  | { status: 'processing' }
  | { status: 'success'; results: Record<string, unknown> }
  | { status: 'error'; code: string; message: string }

/** How the description of a run's own token begins. Only the master token describes tokens. */
export const tokenOfRun = (runId: string): string => `Run ${runId} of `

/** With the time at which it was said. */
const toldProgress = z.extend(runProgress, { at: wireDateText })

export type ToldProgress = z.infer<typeof toldProgress>

/** A run is a job: `run-12`, which its execution is named, too, is the job 12. */
export const runOfJob = (jobId: number): string => `run-${jobId}`

/** A run of a configuration (docs/reference/storage-api.md#runs). */
export const runBody = z
  .object({
    id: z.string(),
    componentId: z.string(),
    configId: z.string(),
    branchId: z.int(),
    trigger: z.nullable(z.string()),
    status,
    createdTime: wireDateText,
    /** `null`: it waits for the run before it. */
    startTime: z.nullable(wireDateText),
    endTime: z.nullable(wireDateText),
    durationSeconds: z.nullable(z.number()),
    rowsLoaded: z.nullable(z.number()),
    requests: z.nullable(z.number()),
    /** `runResults` of a success. */
    results: z.nullable(anyObject),
    error: z.nullable(codeAndMessage),
    /** Of one run that is under way and has said how far it is, and when. */
    progress: z.optional(z.nullable(toldProgress)),
  })
  .register(described, { id: 'Run' })

export type RunBody = z.infer<typeof runBody>

/** What a job of an extraction did and why it ended. */
export const jobOutcome = z.object({
  /** Position in the configuration: `0`, or `0.1` for a child; with several iterations `1/0.1`. */
  job: z.string(),
  endpoint: z.string(),
  dataType: z.string(),
  runs: z.int(),
  pages: z.int(),
  rows: z.int(),
  /** Why runs ended, with how often. */
  ended: z.record(z.string(), z.int()),
})

export type JobOutcome = z.infer<typeof jobOutcome>

export const runFailure = z.extend(codeAndMessage, {
  /** Position of the job in the configuration, such as `0.1`. */
  job: z.optional(z.string()),
  /** Method and address, secrets masked. */
  request: z.optional(z.string()),
})

/** What a row of the configuration did. */
export const rowResult = z.object({
  /** `null`: the root configuration, of a configuration without rows. */
  id: z.nullable(z.string()),
  name: z.string(),
  status: z.enum(['waiting', 'success', 'error']),
  /** With the rows that were read for it, and those of them that a later one with the same key replaced. Absent: none. */
  tables: z.array(z.object({ tableId: z.string(), rows: z.number(), replacedRows: z.optional(z.number()) })),
  rowsLoaded: z.number(),
  requests: z.number(),
  /** Those of them that were sent again. Absent: none. */
  retries: z.optional(z.number()),
  /** How long all requests waited until the API took more. Absent: it did not limit them. */
  limitWaitSeconds: z.optional(z.number()),
  /** Absent: none. */
  logins: z.optional(z.number()),
  /** From its first step to the end of its last. */
  seconds: z.number(),
  legs: z.number(),
  /** What the author should know of how the tables were loaded. */
  warnings: z._default(z.array(z.string()), []),
  /** What each job did and why it ended. */
  jobs: z.array(z.catchall(jobOutcome, z.unknown())),
  error: z.optional(runFailure),
})

export type RowResult = z.infer<typeof rowResult>

/** What a run did, as its execution and its job show it. */
const runResults = z.object({
  status: z.enum(['success', 'error']),
  componentId: z.string(),
  configId: z.string(),
  configVersion: z.number(),
  rowsLoaded: z.number(),
  requests: z.number(),
  seconds: z.number(),
  rows: z.array(rowResult),
  error: z.optional(z.extend(runFailure, { rowId: z.optional(z.nullable(z.string())) })),
})

export type RunResults = z.infer<typeof runResults>

/**
 * The status of a run, but `warned` for one that succeeded and has something to say: not all may have come. A result of another shape has
 * nothing to say.
 */
export const shownStatus = ({ status, results }: Pick<RunBody, 'status' | 'results'>): string => {
  if (status !== 'success') return status
  const { data } = z.object({ rows: z.array(rowResult) }).safeParse(results)
  return data?.rows.some(({ warnings }) => warnings.length > 0) ? 'warned' : status
}
