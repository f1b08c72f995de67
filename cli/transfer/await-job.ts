import { setTimeout as sleep } from 'node:timers/promises'
import { foreignCodeOr } from '../../functions/lib/errors/codes.ts'
import { UserError } from '../../functions/lib/errors/errors.ts'
import type { Job, StorageClient } from '../../functions/lib/storage-client/storage-client.ts'
import { waitSecondsAt } from '../../functions/lib/storage-client/wait-seconds-at.ts'

const FIRST_LOOK_MS = 100

export type FinishedJob = Extract<Job, { status: 'success' }>
type EndedJob = Extract<Job, { status: 'success' | 'error' }>

/** Looks at a job until it has ended. Throws `UserError` with the job's own error when it failed. */
export const awaitJob = async (storage: Pick<StorageClient, 'job'>, started: Job): Promise<FinishedJob> =>
  succeededOrThrow(await awaitEnd(storage, started))

export const awaitEnd = async (storage: Pick<StorageClient, 'job'>, started: Job): Promise<EndedJob> => {
  const start = performance.now()
  for (let job = started; ; job = await storage.job(job.id)) {
    if (job.status === 'success' || job.status === 'error') return job
    const age = (performance.now() - start) / 1000
    await sleep(age < 1 ? FIRST_LOOK_MS : waitSecondsAt(age) * 1000)
  }
}

export const succeededOrThrow = (job: EndedJob): FinishedJob => {
  if (job.status === 'success') return job
  throw new UserError(foreignCodeOr(job.error.code, 'storage.jobFailed'), job.error.message)
}
