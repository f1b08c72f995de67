import { UserError } from '../../lib/errors/errors.ts'
import type { RunJobServices } from './services.ts'

/** One read of an item each. */
const LOOK_EVERY_MS = 2_000

/** Does the work of a job, and interrupts its table engine when somebody has cancelled the job: then it throws that reason. */
export const untilCancelled = async <Result>(
  jobId: number,
  services: RunJobServices,
  work: (services: RunJobServices) => Promise<Result>,
): Promise<Result> => {
  const cancelled = new AbortController()
  const look = (): void =>
    void services.jobs.refuseCancelled(jobId).catch((error: unknown) => {
      // Otherwise nobody could be asked, or the job is given up, which is looked at before anything becomes visible.
      if (error instanceof UserError) cancelled.abort(error)
    })
  const timer = setInterval(look, LOOK_EVERY_MS)
  try {
    return await work({
      ...services,
      tableEngine: async () => (await services.tableEngine()).until(cancelled.signal),
    })
  } finally {
    clearInterval(timer)
  }
}
