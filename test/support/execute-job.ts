import { setTimeout as sleep } from 'node:timers/promises'
import { isRun } from '#lib/storage/jobs/job-store.ts'
import type { RunJobServices } from '../../functions/run-job/job/services.ts'
import { runJob } from '../../functions/run-job/run-job.ts'
import { executeRun } from './execute-run.ts'
import { asFunction } from './guard-writes.ts'
import { doSideBySide, type MachineServices } from './side-by-side.ts'

/** Everything that the states of the job machine need. */
export type JobServices = RunJobServices & MachineServices & Parameters<typeof executeRun>[1]

/** What the job machine does: waits while the job is blocked, retries, and closes a job that failed for good. */
export const executeJob = (
  jobId: number,
  services: JobServices,
  pause: () => Promise<unknown> = () => sleep(10),
): Promise<void> => asFunction('run-job', () => executeStates(jobId, services, pause))

const executeStates = async (
  jobId: number,
  services: JobServices,
  pause: () => Promise<unknown>,
): Promise<void> => {
  const job = await services.jobs.get(jobId)
  if (job && isRun(job)) return executeRun(job, services, pause)
  for (let attempt = 0; attempt < 3; ) {
    try {
      const result = await runJob({ jobId }, services)
      if (result.status === 'done') return
      if (!(await doSideBySide(jobId, result, services))) await pause()
    } catch {
      attempt++
    }
  }
  await runJob({ jobId, failure: { Error: 'Error', Cause: 'the cause of the test' } }, services)
}
