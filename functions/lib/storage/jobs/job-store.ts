import { UserError } from '../../errors/errors.ts'
import { expiringIn, type ItemTable } from '../../items/item-table.ts'
import { type IdSource, idParts, type NextId } from '../db/ids.ts'
import { createMonthlyRecords, type MonthlyRecords } from '../db/monthly-records.ts'
import {
  acceptedJob,
  branchOf,
  isFinal,
  type JobError,
  type JobMetrics,
  type JobRecord,
  jobRecord,
  type ProcessingJob,
  type WaitingJob,
} from './job-record.ts'
import { createOpenJobList } from './open-jobs.ts'
import { createTableQueue } from './table-queue.ts'

interface JobOutcome {
  results: Record<string, unknown> | null
  metrics: JobMetrics
}

interface OpenJobEnd {
  startTime: string
  at: Date
  outcome: JobOutcome
}

/** Longer than any job lives. */
const WISHES_KEPT_DAYS = 7

/** Whoever accepts a job stores it within moments of giving it its place. */
const ACCEPTING_MS = 5_000

/**
 * Jobs and their three changes of state. Each is conditional on the state before. A change that comes too late, because
 * another run of the same job was faster, resolves to the job as stored.
 */
export const createJobStore = (items: ItemTable, ids: Pick<IdSource, 'above'>) => {
  const records = createMonthlyRecords<JobRecord>(items, 'JOBS', item => jobRecord.parse(item))
  const open = createOpenJobList(items)

  /** The place that the job has in the queue of its table, once it has one. */
  const queueOf = (job: JobRecord) => createTableQueue(items, branchOf(job))

  /**
   * Accepts a job. Its place in the queue is written first and counts for nobody until the job is stored: both appear
   * with that one write. Resolves to false when the id cannot be used: it is taken, or a later job of the table has begun.
   */
  const insert = async (job: JobRecord): Promise<boolean> => {
    const { id, queueTableId } = job
    await open.noteIfLate(job)
    if (queueTableId === null) return records.insert(job)

    const place = await queueOf(job).enter(queueTableId, id)
    if ('overtakenBy' in place) ids.above(place.overtakenBy)
    else if (await records.insert({ ...job, ...(place.before > 0 && { before: place.before }) })) return true

    // A place without a job is removed, unless another attempt of the same request stores the job that it belongs to.
    await records.giveUp(id)
    const stored = await records.get(id)
    if (stored?.queueTableId !== queueTableId || branchOf(stored) !== branchOf(job))
      await queueOf(job).leave(queueTableId, id)
    return false
  }

  const change = async (from: JobRecord, to: JobRecord): Promise<JobRecord> => {
    if (await records.replace(to, { status: from.status })) return to
    const current = await records.get(from.id)
    if (!current) throw new Error(`The job ${from.id} has vanished`)
    return current
  }

  return {
    get: records.get,
    getMany: records.getMany,

    ...createEndWishes(items),
    ...createRowNotes(records),

    open,
    insert,
    list: records.list,

    /** Accepts the job that `make` returns for a new id. */
    create: (nextId: NextId, make: (id: number) => JobRecord): Promise<JobRecord> =>
      records.create(nextId, make, insert),

    /**
     * Of an id that has a place and no job: whether there will never be one, because whoever was to store it died. One
     * that is being accepted at this moment is left alone.
     */
    isNeverStored: async (id: number, now: Date): Promise<boolean> => {
      const ageMs = Math.abs(now.getTime() - idParts(id).milliseconds)
      return ageMs > ACCEPTING_MS && records.giveUp(id)
    },

    /** waiting -> processing. */
    start: async (job: JobRecord, at: Date): Promise<JobRecord> =>
      job.status === 'waiting'
        ? change(job, { ...job, status: 'processing', startTime: at.toISOString() })
        : job,

    /** processing -> success. */
    succeed: (job: ProcessingJob, at: Date, outcome: JobOutcome): Promise<JobRecord> =>
      change(job, { ...job, status: 'success', endTime: at.toISOString(), ...outcome }),

    /** waiting or processing -> success, of a job that another one has done with its own. It began when that one did. */
    succeedOpen: async (job: WaitingJob | ProcessingJob, end: OpenJobEnd): Promise<JobRecord> => {
      const changed = await change(job, succeeded(job, end))
      // It may have changed from waiting to processing since it was read.
      return changed.status === 'processing' ? change(changed, succeeded(changed, end)) : changed
    },

    /** waiting -> error. One that has begun meanwhile stays as it is. */
    failWaiting: async (job: JobRecord, at: Date, error: JobError): Promise<JobRecord> =>
      job.status === 'waiting' ? change(job, failed(job, at, { error })) : job,

    /** waiting or processing -> error. */
    fail: async (job: JobRecord, at: Date, failure: JobFailure): Promise<JobRecord> => {
      const changed = isFinal(job) ? job : await change(job, failed(job, at, failure))
      // It may have changed from waiting to processing since it was read.
      return isFinal(changed) ? changed : change(changed, failed(changed, at, failure))
    },
  }
}

const wishKey = (id: number) => ({ pk: `CANCELLED#${id}`, sk: 'CANCELLED' })

/** Wishes of people that jobs end. */
const createEndWishes = (items: ItemTable) => ({
  /** Asks for the end of a job. Who works for it looks before it makes anything visible. The first asker counts. */
  wishEnd: (id: number, by: string, now: Date): Promise<boolean> =>
    items.put(wishKey(id), { by, ...expiringIn(WISHES_KEPT_DAYS, now) }, 'absent'),

  /** The same in place of its machine, which has given the job up: nobody has cancelled it. */
  giveUp: (id: number, now: Date): Promise<boolean> =>
    items.put(wishKey(id), { isGivenUp: 'yes', ...expiringIn(WISHES_KEPT_DAYS, now) }, 'absent'),

  /**
   * Throws `UserError` (`storage.jobs.cancelled`) for a job whose end somebody has asked for, and any other error for one that is given up:
   * whoever gave it up ends it.
   */
  refuseCancelled: async (id: number): Promise<void> => {
    const wish = await items.get(wishKey(id))
    if (wish?.['isGivenUp']) throw new Error(`The job ${id} is given up: nothing is made visible for it`)
    if (wish) throw jobCancelled(String(wish['by']))
  },
})

const createRowNotes = ({ replace }: Pick<MonthlyRecords<JobRecord>, 'replace'>) => ({
  /** How many rows the load of a job has read. Nothing happens when the job has ended. */
  noteRows: async (job: ProcessingJob, rows: number, at: Date): Promise<void> => {
    await replace({ ...job, progress: { rows, at: at.toISOString() } }, { status: job.status })
  },
})

const succeeded = (from: WaitingJob | ProcessingJob, { startTime, at, outcome }: OpenJobEnd): JobRecord => ({
  ...from,
  status: 'success',
  startTime: from.status === 'waiting' ? startTime : from.startTime,
  endTime: at.toISOString(),
  ...outcome,
})

interface JobFailure {
  error: JobError
  results?: Record<string, unknown> | null
}

/** Only with what each job has, so that the stored one has no fields of another state. */
const failed = (from: JobRecord, at: Date, { error, results = null }: JobFailure): JobRecord => ({
  ...acceptedJob.parse(from),
  status: 'error',
  startTime: from.status === 'waiting' ? null : from.startTime,
  endTime: at.toISOString(),
  results,
  error,
})

export type JobStore = ReturnType<typeof createJobStore>

export const jobCancelled = (by: string): UserError =>
  new UserError('storage.jobs.cancelled', `Cancelled by the token "${by}".`)
