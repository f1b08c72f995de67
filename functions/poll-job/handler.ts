import * as z from 'zod/mini'
import { executionName } from '../lib/cloud/execution-name.ts'
import { lambdaHandler } from '../lib/cloud/lambda-handler.ts'
import { readEnv } from '../lib/env.ts'
import { foreignCodeOr } from '../lib/errors/codes.ts'
import type { Job } from '../lib/storage-client/storage-client.ts'
import { openStorage } from '../lib/storage-client/storage-client-from.ts'
import { waitSecondsAt, waitSecondsBeforeBegin } from '../lib/storage-client/wait-seconds-at.ts'

/** Input of one poll: the job, and since when the machine waits for it. */
export const pollJobEvent = z.object({
  jobId: z.coerce.number().check(z.int(), z.positive()),
  /** ARN of the execution that waits. */
  execution: z.optional(z.string()),
  since: z.pipe(
    z.iso.datetime({ offset: true }),
    z.transform(text => new Date(text)),
  ),
})

const variables = [
  /** Base URL of the storage service, without `/v2/storage`. */
  'STORAGE_URL',
  /** Secret that holds the storage token. */
  'STORAGE_TOKEN_SECRET_ARN',
] as const
/** The variables that the function's construct must set. */
export type PollJobEnv = (typeof variables)[number]

/** Reads a job once and returns whether, and how long, to wait. Step Functions does the waiting. */
export const handler = lambdaHandler({
  service: 'poll-job',
  event: pollJobEvent,
  keys: ({ jobId, execution }) => ({
    jobId,
    ...(execution !== undefined && { correlationId: executionName(execution) }),
  }),
  open: async () => {
    const service = openStorage(readEnv(variables, process.env))
    return async ({ jobId, since }) => {
      const storage = await service.client()
      return pollOf(await storage.job(jobId), (Date.now() - since.getTime()) / 1000)
    }
  },
})

/** What the state machine needs: whether to wait, how long, or the result. */
type Poll =
  | { status: 'waiting' | 'processing'; jobId: number; isFinished: false; waitSeconds: number }
  | { status: 'success'; jobId: number; isFinished: true; results: unknown }
  | { status: 'error'; jobId: number; isFinished: true; error: { code: string; message: string } }

export const pollOf = (job: Job, ageSeconds: number): Poll => {
  switch (job.status) {
    case 'waiting':
    case 'processing': {
      const waitSeconds = job.status === 'waiting' ? waitSecondsBeforeBegin : waitSecondsAt
      return {
        status: job.status,
        jobId: job.id,
        isFinished: false,
        waitSeconds: waitSeconds(ageSeconds, job.retryAfterSeconds),
      }
    }
    case 'success':
      return {
        status: 'success',
        jobId: job.id,
        isFinished: true,
        results: resultsWithinStateLimit(job.results),
      }
    case 'error':
      return {
        status: 'error',
        jobId: job.id,
        isFinished: true,
        error: { code: foreignCodeOr(job.error.code, 'storage.jobFailed'), message: job.error.message },
      }
  }
}

/** Step Functions carries at most 256 KiB between states. A table of 1,000 columns with metadata may exceed that. */
const MAX_RESULTS_BYTES = 64 * 1024

const resultsWithinStateLimit = (results: unknown): unknown =>
  Buffer.byteLength(JSON.stringify(results ?? null)) <= MAX_RESULTS_BYTES ? (results ?? null) : null
