import type { FinalJob } from '../lib/storage/jobs/job-record.ts'
import { logJobEnd } from './log-job.ts'
import { recordJobEvent } from './record-job-event.ts'
import type { RunJobServices } from './services.ts'

/** Says wherever a person looks what a job has done: in the log, in the figures and among the events. */
export const recordJobEnd = async (job: FinalJob, services: RunJobServices): Promise<void> => {
  logJobEnd(job, services)
  await recordJobEvent(job, services)
}
