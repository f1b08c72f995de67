import { patientWait } from '../lib/patient-wait.ts'
import { isDecided, type JobRecord, type WaitingJob } from '../lib/storage/jobs/job-record.ts'
import { queuesOf } from '../lib/storage/jobs/job-store.ts'
import { endDecided } from './end-decided.ts'
import type { RunJobServices } from './job/services.ts'
import { addsRows, TOGETHER_FILES } from './operations/queued-loads.ts'

/** `behind`: those behind it in its queue, as many as its load may take along. */
type Begun = { job: Exclude<JobRecord, WaitingJob>; behind: readonly number[] }
type Blocked = { status: 'blocked'; waitSeconds: number }

const MAX_WAIT_SECONDS = 10
/** A job that has waited for ten times as long waits for one second more. */
const PATIENCE_SECONDS = 10

/**
 * Begins a job when it is in front of the queues of its tables and nobody works on them. One in front whose work is decided is ended.
 * Resolves to the job as it is when it does not wait any more.
 */
export const beginJob = async (job: WaitingJob, services: RunJobServices): Promise<Begun | Blocked> => {
  const { jobs, now } = services
  const { begun, behind } = await begunOrAhead(job, services)
  if ('id' in begun && begun.status !== 'waiting') return { job: begun, behind }
  const ahead = 'heldBy' in begun ? await jobs.get(begun.heldBy) : undefined
  if (!ahead || !isDecided(ahead)) return { status: 'blocked', waitSeconds: waitSeconds(job, now()) }
  await endDecided(ahead, services)
  return beginJob(job, services)
}

const begunOrAhead = async (
  job: WaitingJob,
  { queue, jobs, now }: RunJobServices,
): Promise<{ begun: JobRecord | { heldBy: number }; behind: readonly number[] }> => {
  const behind: number[] = []
  for (const tableId of queuesOf(job)) {
    const [first = job.id, ...others] = await queue.front(tableId, addsRows(job) ? TOGETHER_FILES : 1)
    if (first < job.id) return { begun: { heldBy: first }, behind }
    behind.push(...others)
  }
  return { begun: await jobs.begin(job, now()), behind }
}

const waitSeconds = (job: JobRecord, now: Date): number => {
  const ageSeconds = (now.getTime() - Date.parse(job.createdTime)) / 1000
  const wanted = Math.min(MAX_WAIT_SECONDS, Math.max(1, Math.ceil(ageSeconds / PATIENCE_SECONDS)))
  return patientWait(wanted, ageSeconds)
}
