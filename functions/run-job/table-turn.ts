import { isFinal, type JobRecord } from '../lib/storage/jobs/job-record.ts'
import { reviveJob } from '../lib/storage/jobs/revive-job.ts'
import type { RunJobServices } from './services.ts'

type Blocked = { status: 'blocked'; waitSeconds: number }

/** Final jobs that a crash left in line are cleared one by one; more than this at once is taken up at the next try. */
const MAX_STEPS = 50
const MAX_WAIT_SECONDS = 10
/** A job that has waited for ten times as long waits for one second more. */
const PATIENCE_SECONDS = 10

/**
 * Takes the table for a job when all jobs that were accepted before it are done.
 *
 * Whoever stands first in line claims the table, unless a job holds it that is not final: one that was accepted at the
 * same moment and came to the line late. The job in front is revived when it has been silent for too long.
 */
export const takeTurn = async (
  job: JobRecord,
  tableId: string,
  services: RunJobServices,
): Promise<'taken' | Blocked> => {
  const { queue, jobs, now, log } = services
  await queue.enter(tableId, job.id)
  const isOver = async (id: number): Promise<boolean> => {
    const other = await jobs.get(id)
    if (other === undefined) return true
    const revived = await reviveJob(other, services).catch(error => {
      // Not this job's failure: it waits, and tries again when it comes back.
      log.error('job not revived', { jobId: other.id, error })
      return other
    })
    return isFinal(revived)
  }

  for (let step = 0; step < MAX_STEPS; step++) {
    // First of all: a job that holds the table goes on, even when another one has come to stand before it.
    const claimant = await queue.claimant(tableId)
    if (claimant === job.id) return 'taken'
    if (claimant !== undefined && !(await isOver(claimant))) break

    const first = await queue.first(tableId)
    if (first === job.id) {
      if (await queue.claim(tableId, job.id, claimant)) return 'taken'
    } else {
      if (first !== undefined && !(await isOver(first))) break
      if (first !== undefined) await queue.leave(tableId, first)
    }
  }
  return { status: 'blocked', waitSeconds: waitSeconds(job, now()) }
}

/** Lets go of the table. In either order a crash in between is harmless: the job is final, which the next one sees. */
export const leaveTable = async (
  jobId: number,
  tableId: string,
  { queue }: RunJobServices,
): Promise<void> => {
  await queue.release(tableId, jobId)
  await queue.leave(tableId, jobId)
}

const waitSeconds = (job: JobRecord, now: Date): number => {
  const ageSeconds = (now.getTime() - Date.parse(job.createdTime)) / 1000
  return Math.min(MAX_WAIT_SECONDS, Math.max(1, Math.ceil(ageSeconds / PATIENCE_SECONDS)))
}
