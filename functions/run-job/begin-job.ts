import { patientWait } from '../lib/patient-wait.ts'
import {
  branchOf,
  isDecided,
  isFinal,
  type JobRecord,
  type WaitingJob,
} from '../lib/storage/jobs/job-record.ts'
import { queuesOf } from '../lib/storage/jobs/job-store.ts'
import { reviveJob, startNext } from '../lib/storage/jobs/start-next.ts'
import { endDecided } from './end-decided.ts'
import type { RunJobServices } from './job/services.ts'

type Blocked = { status: 'blocked'; waitSeconds: number }

/** Of more jobs than this in front whose executions are gone, the rest are looked after at the next try. */
const MAX_STEPS = 50
const MAX_WAIT_SECONDS = 10
/** A job that has waited for ten times as long waits for one second more. */
const PATIENCE_SECONDS = 10

/**
 * Begins a job when it is in front of the queues of its tables and nobody works on them. The one in front is revived when it has
 * been silent for too long, and one whose work is decided is ended. Resolves to the job as it is when it does not wait any more.
 */
export const beginJob = async (
  job: WaitingJob,
  services: RunJobServices,
): Promise<Exclude<JobRecord, WaitingJob> | Blocked> => {
  const { jobs, now, log } = services
  for (let step = 0; step < MAX_STEPS; step++) {
    const begun = await begunOrAhead(job, services)
    if ('id' in begun && begun.status !== 'waiting') return begun
    const ahead = 'heldBy' in begun ? await jobs.get(begun.heldBy) : undefined
    if (!ahead) break
    if (isDecided(ahead)) await endDecided(ahead, services)
    if (isDecided(ahead) || isFinal(ahead)) continue
    const revived = await reviveJob(ahead, services).catch(error => {
      // Not this job's failure: it waits, and tries again when it comes back.
      log.error('job not revived', { jobId: ahead.id, error })
      return ahead
    })
    if (!isFinal(revived)) break
  }
  return { status: 'blocked', waitSeconds: waitSeconds(job, now()) }
}

const begunOrAhead = async (
  job: WaitingJob,
  { queue, jobs, now }: RunJobServices,
): Promise<JobRecord | { heldBy: number }> => {
  for (const tableId of queuesOf(job)) {
    const first = await queue.first(tableId)
    if (first !== undefined && first < job.id) return { heldBy: first }
  }
  return jobs.begin(job, now())
}

/** Starts the jobs that come next. */
export const startBehind = async (job: JobRecord, services: RunJobServices): Promise<void> => {
  const ofBranch = { ...services, ...services.inBranch(branchOf(job)) }
  // The work of this job is done, whatever becomes of the next. The clock finds that.
  for (const tableId of queuesOf(job))
    await startNext(tableId, ofBranch).catch(error =>
      services.log.error('next job not started', { tableId, error }),
    )
}

const waitSeconds = (job: JobRecord, now: Date): number => {
  const ageSeconds = (now.getTime() - Date.parse(job.createdTime)) / 1000
  const wanted = Math.min(MAX_WAIT_SECONDS, Math.max(1, Math.ceil(ageSeconds / PATIENCE_SECONDS)))
  return patientWait(wanted, ageSeconds)
}
