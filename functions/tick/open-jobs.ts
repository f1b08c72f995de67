import pMap from 'p-map'
import { idParts } from '../lib/storage/db/ids.ts'
import { OF_RUNS } from '../lib/storage/jobs/job-store.ts'
import { reviveJob, type StartOptions } from '../lib/storage/jobs/start-next.ts'

interface OpenJobsServices extends StartOptions {
  log: {
    error(message: string, extra: Record<string, unknown>): void
  }
}

interface Looked {
  openJobs: number
  /** Those behind others in the queue of a table count as waiting. A run may wait for another one for days. */
  oldestWaitingSeconds: number
}

const IN_PARALLEL = 10

/**
 * Takes up jobs that were accepted and not started, because a process died in between, and those that nobody does any more.
 * A look costs what is open. Of the jobs that wait for one table it reads the first one only: each of the others is started by the one
 * before it.
 */
export const startOpenJobs = async (services: OpenJobsServices): Promise<Looked> => {
  const { jobs, now, log } = services
  const at = now().getTime()
  const queues = new Set<string>()
  const first: number[] = []
  let oldest = at
  const open = (await Array.fromAsync(jobs.listOpen())).toReversed()
  for (const { id, queue } of open) {
    if (queue === undefined || !queues.has(queue)) first.push(id)
    else if (!queue.includes(OF_RUNS)) oldest = Math.min(oldest, idParts(id).milliseconds)
    if (queue !== undefined) queues.add(queue)
  }
  const found = await jobs.getMany(first)
  for (const { status, createdTime } of found)
    if (status === 'waiting') oldest = Math.min(oldest, Date.parse(createdTime))
  await pMap(
    found,
    job =>
      reviveJob(job, services).catch((error: unknown) =>
        log.error('job not started', { jobId: job.id, error }),
      ),
    { concurrency: IN_PARALLEL },
  )
  return { openJobs: open.length, oldestWaitingSeconds: (at - oldest) / 1000 }
}
