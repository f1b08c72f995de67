import * as z from 'zod/mini'
import { foreignCodeOr } from '../lib/errors/codes.ts'
import type { Job } from '../lib/storage-client/storage-client.ts'
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
