import { shortDigest } from '../../digests.ts'
import { TransientError, UserError } from '../../errors/errors.ts'
import { type ItemTable, type ItemWrite, startingWith } from '../../items/item-table.ts'
import type { Once } from '../db/idempotency-store.ts'
import { type IdSource, idSortKey } from '../db/ids.ts'
import { createSpreadRecords, type SpreadRecords } from '../db/spread-records.ts'
import { failed, type JobFailure, type OpenJobEnd, succeeded } from './ended-job.ts'
import type { FindFile } from './job-events.ts'
import {
  branchOf,
  type DecidedWork,
  type FinalJob,
  type InputOf,
  isDecided,
  isFinal,
  type JobRecord,
  jobRecord,
  type ProcessingJob,
  type WaitingJob,
} from './job-record.ts'
import { createOpenJobs } from './open-jobs.ts'
import { createTableQueue, type TableQueue } from './table-queue.ts'

/** What tells the end of a job, written with it. */
type Telling = (ended: FinalJob, findFile?: FindFile) => Promise<readonly ItemWrite[]>

/** How a job that is open ends. `undefined`: not in this state. */
type EndOf = (from: WaitingJob | ProcessingJob) => FinalJob | undefined

const notDecided = { decided: undefined }

/** Another state, or another lease, each time. */
const MAX_END_ATTEMPTS = 10

/**
 * Jobs and their changes of state, each one transaction: with its places in the queues of its tables, with their leases, and with the entry
 * by which the clock finds it. A change that comes too late, because another run of the same job was faster, resolves to the job
 * as stored.
 */
export const createJobStore = (items: ItemTable, ids: IdSource, telling: Telling = async () => []) => {
  const records = createSpreadRecords<JobRecord>(items, 'JOBS', item => jobRecord.parse(item))
  const open = createOpenJobs(items)

  const stored = storedIn(records)

  const entering = (job: JobRecord): ItemWrite[] => {
    const [queue] = queuesOf(job).map(tableId => `${branchOf(job)}/${tableId}`)
    return [
      open.opening({ id: job.id, ...(queue !== undefined && { queue }) }),
      ...inQueues(items, job, (its, tableId) => its.entering(tableId, job.id)),
      ...listsOf(job).map(
        (pk): ItemWrite => ({ action: 'put', key: { pk, sk: idSortKey(job.id) }, item: { id: job.id } }),
      ),
    ]
  }

  return {
    get: records.get,
    getMany: records.getMany,

    ...createJobNotes(items, records),
    ...createJobEnds(items, records, telling),

    list: records.list,
    listOpen: open.list,

    /** Runs of configurations, newest first. It costs what it gives, however many other jobs there are. Default: of all configurations. */
    async *listRuns(place?: RunPlace): AsyncGenerator<RunJob> {
      const pages = items.query(place ? ofPlace(place) : RUNS, {
        ...startingWith(''),
        newestFirst: true,
        pageSize: RUNS_AT_ONCE,
      })
      const ids: number[] = []
      const read = async (): Promise<RunJob[]> => (await records.getMany(ids.splice(0))).filter(isRun)
      for await (const item of pages) if (ids.push(Number(item['id'])) === RUNS_AT_ONCE) yield* await read()
      yield* await read()
    },

    /**
     * Accepts the job that `make` returns for a new id, or finds the one that an earlier attempt of the request made. The id is
     * above all that are in its queues: whoever was accepted before is in front.
     */
    accept: async (make: (id: number) => WaitingJob, once?: Once): Promise<JobRecord> => {
      const wanted = make(ids())
      const { newest } = createTableQueue(items, branchOf(wanted))
      ids.above(Math.max(0, ...(await Promise.all(queuesOf(wanted).map(newest)))))
      return records.create(ids, make, { once, also: entering })
    },

    /** The same of one that needs no table, for a transaction. */
    accepting: (job: WaitingJob): ItemWrite[] => [records.writing(job, 'absent'), ...entering(job)],

    /** waiting -> processing. Another job that holds the lease of a table, or the job as it is if it does not wait any more. */
    begin: async (job: WaitingJob, at: Date): Promise<JobRecord | { heldBy: number }> => {
      const begun = { ...job, status: 'processing' as const, startTime: at.toISOString() }
      const refused = await items.transact([
        records.writing(begun, { status: 'waiting', cancelledBy: job.cancelledBy }),
        ...inQueues(items, job, (queue, tableId) => queue.taking(tableId, job.id)),
      ])
      if (refused.length === 0) return begun
      const owner = refused.find(({ found }) => found?.['owner'] !== undefined)?.found?.['owner']
      return owner === undefined || owner === job.id ? stored(job.id) : { heldBy: Number(owner) }
    },
  }
}

type JobRecords = SpreadRecords<JobRecord>

type RunPlace = Pick<InputOf<'configurationRun'>, 'componentId' | 'configId'>

/** A run of a configuration. */
export type RunJob = JobRecord & { input: InputOf<'configurationRun'> }

export const isRun = (job: JobRecord): job is RunJob => job.input.operationName === 'configurationRun'

/** Runs of one configuration come one after the other, as the jobs of a table do. */
export const queueOfRuns = ({ componentId, configId }: RunPlace): string =>
  `${OF_RUNS}${componentId}/${configId}`

/** No table is called so. */
export const OF_RUNS = 'runs of '

const RUNS = 'RUNS'
const RUNS_AT_ONCE = 25

const ofPlace = ({ componentId, configId }: RunPlace): string =>
  `${RUNS}/${shortDigest(JSON.stringify([componentId, configId]))}`

/** The lists that a job is in beside that of all jobs. */
const listsOf = (job: JobRecord): string[] => (isRun(job) ? [RUNS, ofPlace(job.input)] : [])

const storedIn =
  (records: JobRecords) =>
  async (id: number): Promise<JobRecord> => {
    const job = await records.get(id)
    if (!job) throw new Error(`The job ${id} has vanished`)
    return job
  }

const inQueues = (
  items: ItemTable,
  job: JobRecord,
  write: (queue: TableQueue, tableId: string) => ItemWrite,
): ItemWrite[] => {
  const queue = createTableQueue(items, branchOf(job))
  return queuesOf(job).map(tableId => write(queue, tableId))
}

const releasing = (items: ItemTable, job: JobRecord): ItemWrite[] =>
  inQueues(items, job, (queue, tableId) => queue.releasing(tableId, job.id))

/** What the end of a job says of leases. `claimed`: a load has its file, so it does not end by itself. */
const claimsOf = async (items: ItemTable, job: JobRecord): Promise<ItemWrite[] | 'claimed'> => {
  if (job.status !== 'waiting') return releasing(items, job)
  const queue = createTableQueue(items, branchOf(job))
  const leases = await Promise.all(
    queuesOf(job).map(async tableId => ({ tableId, lease: await queue.lease(tableId) })),
  )
  if (leases.some(({ lease }) => lease?.along?.includes(job.id))) return 'claimed'
  return leases.map(({ tableId, lease }) => queue.unclaimed(tableId, lease))
}

const createJobEnds = (items: ItemTable, records: JobRecords, telling: Telling) => {
  const stored = storedIn(records)
  const open = createOpenJobs(items)

  const leaving = (job: JobRecord): ItemWrite[] => [
    open.closing(job.id),
    ...inQueues(items, job, (queue, tableId) => queue.leaving(tableId, job.id)),
  ]

  /** Resolves to the job as stored, or to `moved` when it was refused by what it was to write. */
  const unlessRefused = async (
    next: FinalJob | ProcessingJob,
    job: ProcessingJob,
    writes: readonly ItemWrite[],
    findFile?: FindFile,
  ): Promise<FinalJob | ProcessingJob | 'moved' | 'cancelled'> => {
    // A branch has copies by now, which nobody would clear away.
    const heedsWish = writes.length > 0 && job.input.operationName !== 'devBranchCreate'
    const isAsRead = {
      status: 'processing',
      ...(!job.decided && notDecided),
      ...(heedsWish && { cancelledBy: undefined }),
    }
    const told = isFinal(next)
      ? [...leaving(next), ...releasing(items, next), ...(await telling(next, findFile))]
      : []
    const refused = await items.transact([records.writing(next, isAsRead), ...told, ...writes])
    if (refused.length === 0) return next
    const current = await stored(job.id)
    if (current.status === 'waiting') throw new Error(`The job ${job.id} waits again`)
    if (isFinal(current) || isDecided(current)) return current
    return heedsWish && current.cancelledBy !== undefined ? 'cancelled' : 'moved'
  }

  /** @param isHolder it has the lease of the table, so it need not look who has */
  const end = async (job: JobRecord, endOf: EndOf, isHolder = false): Promise<JobRecord> => {
    let from = job
    for (let attempt = 0; attempt < MAX_END_ATTEMPTS && !isFinal(from); attempt++) {
      const claims = isHolder && from.status === 'waiting' ? [] : await claimsOf(items, from)
      const ended = isDecided(from) ? undefined : endOf(from)
      if (claims === 'claimed' || !ended) return from
      const refused = await items.transact([
        records.writing(ended, { status: from.status, ...(from.status === 'processing' && notDecided) }),
        ...leaving(from),
        ...claims,
        ...(await telling(ended)),
      ])
      if (refused.length === 0) return ended
      from = await stored(job.id)
    }
    if (isFinal(from)) return from
    throw new TransientError('storage.busy', `The job ${job.id} is changed by many at once.`)
  }

  return {
    /**
     * processing -> success, with what its work writes, unless somebody has asked for its end. Resolves to the job as stored: another run may
     * have decided it.
     */
    succeed: (
      job: ProcessingJob,
      { at, outcome }: Pick<OpenJobEnd, 'at' | 'outcome'>,
      { writes = [], findFile }: { writes?: readonly ItemWrite[]; findFile?: FindFile } = {},
    ) => unlessRefused(succeeded(job, { startTime: job.startTime, at, outcome }), job, writes, findFile),

    /** The same of one that has something left to do before its end. */
    decide: (job: ProcessingJob, decided: DecidedWork, writes: readonly ItemWrite[]) =>
      unlessRefused({ ...job, decided }, job, writes),

    /** Of a job that waits, by the one that has done it with its own and holds the lease of the table. It began when that one did. */
    endAlong: (job: JobRecord, at: Date, done: Omit<OpenJobEnd, 'at'> | JobFailure): Promise<JobRecord> =>
      end(job, from => ('error' in done ? failed(from, at, done) : succeeded(from, { ...done, at })), true),

    /** waiting -> error. One that has begun meanwhile stays as it is, and so does one whose file a load has taken along. */
    failWaiting: (job: JobRecord, at: Date, failure: JobFailure): Promise<JobRecord> =>
      end(job, from => (from.status === 'waiting' ? failed(from, at, failure) : undefined)),

    /** waiting or processing -> error. One whose file a load has taken along stays as it is. */
    fail: (job: JobRecord, at: Date, failure: JobFailure): Promise<JobRecord> =>
      end(job, from => failed(from, at, failure)),
  }
}

/** The tables in whose queues it has a place, under its one id. */
export const queuesOf = ({ input, queueTableId }: JobRecord): string[] => {
  if (input.operationName === 'tableSwap') return [...new Set([input.tableId, input.targetTableId])]
  return queueTableId === null ? [] : [queueTableId]
}

/** What is said of jobs that have not ended. */
const createJobNotes = (items: ItemTable, records: JobRecords) => ({
  /**
   * Asks for the end of a job, with what tells it. Who works for the job cannot make anything visible any more. The first asker
   * counts, and nothing happens when the job has ended.
   */
  wishEnd: async (id: number, cancelledBy: string, told: readonly ItemWrite[]): Promise<void> => {
    const when = { id, cancelledBy: undefined, endTime: undefined }
    await items.transact([records.updating(id, { cancelledBy }, when), ...told])
  },

  /** Throws `UserError` (`storage.jobs.cancelled`) for a job whose end somebody has asked for. */
  refuseCancelled: async (id: number): Promise<void> => {
    const { cancelledBy } = (await records.get(id)) ?? {}
    if (cancelledBy !== undefined) throw jobCancelled(cancelledBy)
  },

  /** How far a job has come, which loads nothing then; the newest word counts. Resolves to false when it is not under way. */
  noteProgress: async (id: number, said: { rows: number }, at: Date): Promise<boolean> => {
    const progress = { ...said, at: at.toISOString() }
    return (
      (await items.transact([records.updating(id, { progress, isLoading: false }, { status: 'processing' })]))
        .length === 0
    )
  },

  /**
   * That a run begins or ends to load. It begins only where nobody has asked for its end; who asks later finds it loading, and waits.
   * Throws `UserError` (`storage.jobs.cancelled`, `storage.jobs.ended`).
   */
  noteLoading: async (id: number, isLoading: boolean): Promise<void> => {
    const when = { status: 'processing', ...(isLoading && { cancelledBy: undefined }) }
    if ((await items.transact([records.updating(id, { isLoading }, when)])).length === 0) return
    const { cancelledBy } = (await records.get(id)) ?? {}
    if (cancelledBy !== undefined) throw jobCancelled(cancelledBy)
    throw new UserError('storage.jobs.ended', `The job ${id} has ended.`)
  },
})

export type JobStore = ReturnType<typeof createJobStore>

export const jobCancelled = (by: string): UserError =>
  new UserError('storage.jobs.cancelled', `Cancelled by the token "${by}".`)
