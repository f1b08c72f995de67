import pMap from 'p-map'
import { fromIdParts, idParts } from '../lib/storage/db/ids.ts'
import { branchOf, isFinal, type JobRecord } from '../lib/storage/jobs/job-record.ts'
import type { JobStore } from '../lib/storage/jobs/job-store.ts'
import type { OpenGroup } from '../lib/storage/jobs/open-jobs.ts'
import { type ReviveOptions, reviveJob } from '../lib/storage/jobs/start-next.ts'

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

type Jobs = Pick<JobStore, 'getMany' | 'list' | 'open'>

const MINUTE_MS = 60_000

/** A job is stored within this time after its id was made, or noted before. Clocks differ by less. */
const SETTLED_MS = 2 * MINUTE_MS

/** A window with fewer jobs is followed by one that is twice as long. */
const FEW_JOBS = 1000

/** The first look of all goes back so far, or over so many jobs. */
const FIRST_MS = 48 * 60 * MINUTE_MS
const FIRST_JOBS = 1000

/** A job that was noted and is not there after so long was never stored. */
const NOTED_MS = 60 * MINUTE_MS

/** Jobs found open by earlier looks that one look reads again: some seconds. Of more, each look reads a part. */
const JOBS_OF_A_LOOK = 20_000

interface OpenJobs {
  jobs: JobRecord[]
  /** Ids of jobs that were open and are read by a later look. */
  later: number[]
}

/**
 * The open jobs, in batches, each oldest first: those that earlier looks found open and those of the last minutes, then,
 * window by window, those that no look has passed yet. Usually that is one window.
 */
async function* findOpenJobs(jobs: Jobs, now: Date, atMost: number): AsyncGenerator<OpenJobs> {
  const settled = idAt(now.getTime() - SETTLED_MS)
  const fresh = await openIn(jobs, { sinceId: settled })
  const { groups, later } = await groupsOfLook(jobs, atMost)
  const kept = await openKept(jobs, groups, now)
  const known = new Set(kept.map(({ id }) => id))
  yield { jobs: [...kept, ...fresh.open.filter(({ id }) => !known.has(id))], later }

  let through = await firstId(jobs, now)
  let span = MINUTE_MS
  while (through < settled) {
    const to = Math.min(settled, through + idsIn(span))
    const { open, seen } = await openIn(jobs, { sinceId: through, maxId: to + 1 })
    await jobs.open.settle(
      { from: through + 1, to },
      open.map(({ id }) => id),
    )
    yield { jobs: open.filter(({ id }) => !known.has(id)), later: [] }
    through = to
    span = seen < FEW_JOBS ? 2 * span : MINUTE_MS
  }
}

const idAt = (milliseconds: number): number => fromIdParts({ milliseconds, counter: 0 })

const idsIn = (milliseconds: number): number => idAt(milliseconds) - idAt(0)

/** After which id nobody has looked. A clock that was put back has made new ids below what was looked through. */
const firstId = async (jobs: Jobs, now: Date): Promise<number> => {
  const through = await jobs.open.through()
  if (through !== undefined && through <= idAt(now.getTime())) return through
  let first = idAt(now.getTime() - FIRST_MS)
  let seen = 0
  for await (const { id } of jobs.list()) {
    first = Math.min(first, id - 1)
    seen += 1
    if (seen === FIRST_JOBS) break
  }
  return first
}

const openIn = async (
  jobs: Jobs,
  range: Parameters<Jobs['list']>[0],
): Promise<{ open: JobRecord[]; seen: number }> => {
  const open: JobRecord[] = []
  let seen = 0
  for await (const job of jobs.list(range)) {
    seen += 1
    if (!isFinal(job)) open.push(job)
  }
  return { open: open.reverse(), seen }
}

/**
 * As many groups as a look may read, at least one, from where the look before ended. Where the next one begins is kept
 * first: one that dies on a job does not keep the others from being read.
 */
const groupsOfLook = async (
  { open }: Jobs,
  atMost: number,
): Promise<{ groups: OpenGroup[]; later: number[] }> => {
  const all = await open.groups()
  const next = await open.nextGroup()
  const start = Math.max(
    all.findIndex(({ sk }) => next !== undefined && sk >= next),
    0,
  )
  const ordered = [...all.slice(start), ...all.slice(0, start)]
  const groups: OpenGroup[] = []
  let ids = 0
  for (const group of ordered) {
    ids += group.ids.length
    if (groups.length > 0 && ids > atMost) break
    groups.push(group)
  }
  const others = ordered.slice(groups.length)
  if (others[0]?.sk !== next) await open.keepNextGroup(others[0]?.sk)
  return { groups, later: others.flatMap(group => group.ids) }
}

/** Of the jobs that were open at earlier looks, those that still are. The others are not kept any longer. */
const openKept = async (jobs: Jobs, groups: readonly OpenGroup[], now: Date): Promise<JobRecord[]> => {
  const open = new Map<number, JobRecord>()
  for (const group of groups) {
    const stored = await jobs.getMany(group.ids)
    const still = stored.filter(job => !isFinal(job))
    for (const job of still) open.set(job.id, job)
    if (stored.length > 0 || !isRecent(group, now))
      await jobs.open.keep(
        group,
        still.map(({ id }) => id),
      )
  }
  return [...open.values()].toSorted((a, b) => a.id - b.id)
}

const isRecent = ({ notedTime }: OpenGroup, now: Date): boolean =>
  notedTime !== undefined && now.getTime() - Date.parse(notedTime) < NOTED_MS
