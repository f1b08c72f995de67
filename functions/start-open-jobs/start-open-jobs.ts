import pMap from 'p-map'
import { branchOf, isFinal, type JobRecord } from '../lib/storage/jobs/job-record.ts'
import { type ReviveOptions, reviveJob } from '../lib/storage/jobs/revive-job.ts'

interface OpenJobsServices extends ReviveOptions {
  log: { error(message: string, extra: Record<string, unknown>): void }
}

/** Which jobs are looked at: all that are younger, and the newest ones however old they are. */
interface LookBack {
  milliseconds: number
  newest: number
}

const MINUTE_MS = 60_000

/** Each minute. A job is left behind in moments, and those of some minutes ago were looked at before. */
export const RECENT: LookBack = { milliseconds: 30 * MINUTE_MS, newest: 100 }

/** Once per container: after a crash, however long ago, what was left behind is among the newest. */
export const SINCE_THE_START: LookBack = { milliseconds: 48 * 60 * MINUTE_MS, newest: 1_000 }

const IN_PARALLEL = 10

/** Takes up jobs that were accepted and not started, because a process died in between, and those that nobody does any more. */
export const startOpenJobs = async (
  services: OpenJobsServices,
  { milliseconds, newest }: LookBack,
): Promise<{ openJobs: number; oldestWaitingSeconds: number }> => {
  const { jobs, now, log } = services
  const oldest = new Date(now().getTime() - milliseconds).toISOString()
  const open: JobRecord[] = []
  let seen = 0
  for await (const job of jobs.list()) {
    seen += 1
    if (seen > newest && job.createdTime < oldest) break
    if (!isFinal(job)) open.push(job)
  }
  const waiting = open
    .filter(({ status }) => status === 'waiting')
    .map(({ createdTime }) => Date.parse(createdTime))
  // Oldest first: the order in which they were accepted.
  await pMap(
    withoutQueued(open.reverse()),
    job =>
      reviveJob(job, services).catch((error: unknown) =>
        log.error('job not started', { jobId: job.id, error }),
      ),
    { concurrency: IN_PARALLEL },
  )
  const at = now().getTime()
  return { openJobs: open.length, oldestWaitingSeconds: (at - Math.min(at, ...waiting)) / 1000 }
}

/** Of the jobs that wait for one table, the first one only: each of the others is started by the one before it. */
const withoutQueued = (jobs: readonly JobRecord[]): JobRecord[] => {
  const queues = new Set<string>()
  return jobs.filter(job => {
    if (job.status !== 'waiting' || job.queueTableId === null) return true
    const queue = `${branchOf(job)} ${job.queueTableId}`
    return !queues.has(queue) && queues.add(queue)
  })
}
