import pMap from 'p-map'
import { idParts } from '../lib/storage/db/ids.ts'
import { branchOf, isFinal, type JobRecord } from '../lib/storage/jobs/job-record.ts'
import { type ReviveOptions, reviveJob } from '../lib/storage/jobs/start-next.ts'
import { findOpenJobs, JOBS_OF_A_LOOK } from './find-open-jobs.ts'

interface OpenJobsServices extends ReviveOptions {
  log: {
    info(message: string, extra: Record<string, unknown>): void
    error(message: string, extra: Record<string, unknown>): void
  }
}

interface Looked {
  /** With those that were open when an earlier look read them, and that this one has left to the next. */
  openJobs: number
  /** Those that are left to the next look count as waiting. */
  oldestWaitingSeconds: number
}

const IN_PARALLEL = 10

/**
 * Takes up jobs that were accepted and not started, because a process died in between, and those that nobody does any more.
 * A look costs what is open or new; of very many open jobs (`atMost`) it reads a part, and the next looks the others.
 */
export const startOpenJobs = async (services: OpenJobsServices, atMost = JOBS_OF_A_LOOK): Promise<Looked> => {
  const { now, log } = services
  const at = now().getTime()
  const queues = new Set<string>()
  let openJobs = 0
  let oldest = at
  for await (const { jobs, later } of findOpenJobs(services.jobs, now(), atMost)) {
    openJobs += jobs.length + later.length
    for (const id of later) oldest = Math.min(oldest, idParts(id).milliseconds)
    if (later.length > 0) log.info('open jobs are left to the next looks', { jobs: later.length })
    for (const { status, createdTime } of jobs)
      if (status === 'waiting') oldest = Math.min(oldest, Date.parse(createdTime))
    await pMap(
      withoutQueued(jobs, queues),
      job =>
        reviveJob(job, services).catch((error: unknown) =>
          log.error('job not started', { jobId: job.id, error }),
        ),
      { concurrency: IN_PARALLEL },
    )
  }
  return { openJobs, oldestWaitingSeconds: (at - oldest) / 1000 }
}

/** Of the jobs that wait for one table, the first one only: each of the others is started by the one before it. */
const withoutQueued = (jobs: readonly JobRecord[], queues: Set<string>): JobRecord[] =>
  jobs.filter(job => {
    if (isFinal(job)) return false
    if (job.status !== 'waiting' || job.queueTableId === null) return true
    const queue = `${branchOf(job)} ${job.queueTableId}`
    return !queues.has(queue) && queues.add(queue)
  })
