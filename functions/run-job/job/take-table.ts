import { takeLease } from '../../lib/aws/lease.ts'
import { patientWait } from '../../lib/patient-wait.ts'
import { isFinal, type JobRecord } from '../../lib/storage/jobs/job-record.ts'
import { reviveJob, startNext } from '../../lib/storage/jobs/start-next.ts'
import type { RunJobServices } from './services.ts'

type Blocked = { status: 'blocked'; waitSeconds: number }
/** Why a job that has no place in the queue gets none: it has ended, or later jobs of the table have begun. */
type Refused = 'ended' | 'overtaken'

/** Final jobs that a crash left in the queue are removed one by one; of more than this at once, the rest at the next try. */
const MAX_STEPS = 50
const MAX_WAIT_SECONDS = 10
/** A job that has waited for ten times as long waits for one second more. */
const PATIENCE_SECONDS = 10

/**
 * Takes the lease of the table for a job when all jobs that were accepted before it are done.
 *
 * The first job of the queue takes the lease, unless the job before it is open and has neither begun nor a place: that
 * one comes first. The job in front is revived when it has been silent for too long.
 */
export const takeTable = async (
  job: JobRecord,
  tableId: string,
  services: RunJobServices,
): Promise<'taken' | Blocked | Refused> => {
  const { queue, jobs, now, log } = services
  const lease = queue.lease(tableId)
  const isOver = async (id: number): Promise<boolean> => {
    const other = await jobs.get(id)
    if (other === undefined) return jobs.isNeverStored(id, now())
    const revived = await reviveJob(other, services).catch(error => {
      // Not this job's failure: it waits, and tries again when it comes back.
      log.error('job not revived', { jobId: other.id, error })
      return other
    })
    return isFinal(revived)
  }

  for (let step = 0; step < MAX_STEPS; step++) {
    const { owner, through } = await lease.state()
    if (owner === job.id) return 'taken'

    const first = await queue.first(tableId)
    if (first !== job.id && !(await queue.has(tableId, job.id))) {
      const refused = await placeAgain(job, tableId, services)
      if (refused) return refused
      continue
    }
    if (first === job.id) {
      const { before = 0 } = job
      if (before > through && !(await isOver(before))) break
      const { outcome } = await takeLease(lease, { owner: job.id }, isOver)
      if (outcome === 'taken') return 'taken'
      break
    }
    if (first !== undefined && !(await isOver(first))) break
    if (first !== undefined) await queue.leave(tableId, first)
  }
  return { status: 'blocked', waitSeconds: waitSeconds(job, now()) }
}

/**
 * Gives a stored job that has no place its place back. It gets none when later jobs have begun, since it would write old
 * values over theirs.
 */
const placeAgain = async (
  { id }: JobRecord,
  tableId: string,
  { queue, jobs, log }: RunJobServices,
): Promise<Refused | undefined> => {
  const stored = await jobs.get(id)
  if (!stored || isFinal(stored)) return 'ended'
  const place = await queue.enter(tableId, id)
  if (!('overtakenBy' in place)) {
    log.warn('job had lost its place in the queue', { jobId: id, tableId })
    return undefined
  }
  await queue.leave(tableId, id)
  return 'overtaken'
}

/**
 * Releases the table and starts its next job. In either order a crash in between is harmless: the job is final, which
 * the next one sees. A next one that nobody starts is found by the clock.
 */
export const leaveTable = async (jobId: number, tableId: string, services: RunJobServices): Promise<void> => {
  const { queue, log } = services
  await queue.lease(tableId).release(jobId)
  await queue.leave(tableId, jobId)
  // The work of this job is done, whatever becomes of the next.
  await startNext(tableId, services).catch(error => log.error('next job not started', { tableId, error }))
}

export const waitSeconds = (job: JobRecord, now: Date): number => {
  const ageSeconds = (now.getTime() - Date.parse(job.createdTime)) / 1000
  const wanted = Math.min(MAX_WAIT_SECONDS, Math.max(1, Math.ceil(ageSeconds / PATIENCE_SECONDS)))
  return patientWait(wanted, ageSeconds)
}
