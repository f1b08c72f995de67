import type { ErrorCode } from '../../errors/codes.ts'
import type { ItemTable } from '../db/item-table.ts'
import { createMonthlyRecords } from '../db/monthly-records.ts'
import {
  isFinal,
  type JobError,
  type JobMetrics,
  type JobRecord,
  jobRecord,
  type ProcessingJob,
  type WaitingJob,
} from './job-record.ts'
import { createOpenJobList } from './open-jobs.ts'

interface JobOutcome {
  results: Record<string, unknown> | null
  metrics: JobMetrics
}

/**
 * Jobs and their three changes of state. Each is conditional on the state before. A change that comes too late, because
 * another run of the same job was faster, resolves to the job as stored.
 */
export const createJobStore = (items: ItemTable) => {
  const records = createMonthlyRecords<JobRecord>(items, 'JOBS', item => jobRecord.parse(item))
  const open = createOpenJobList(items)

  const change = async (from: JobRecord, to: JobRecord): Promise<JobRecord> => {
    if (await records.replace(to, { status: from.status })) return to
    const current = await records.get(from.id)
    if (!current) throw new Error(`The job ${from.id} has vanished`)
    return current
  }

  return {
    get: records.get,
    getMany: records.getMany,
    open,

    /** Resolves to false when the id is taken. */
    insert: async (job: JobRecord): Promise<boolean> => {
      await open.noteIfLate(job)
      return records.insert(job)
    },

    create: records.create,
    list: records.list,

    /** waiting -> processing. */
    start: async (job: JobRecord, at: Date): Promise<JobRecord> =>
      job.status === 'waiting'
        ? change(job, { ...job, status: 'processing', startTime: at.toISOString() })
        : job,

    /** processing -> success. */
    succeed: (job: ProcessingJob, at: Date, outcome: JobOutcome): Promise<JobRecord> =>
      change(job, { ...job, status: 'success', endTime: at.toISOString(), ...outcome }),

    /** waiting or processing -> success, of a job that another one has done with its own. It began when that one did. */
    succeedOpen: async (
      job: WaitingJob | ProcessingJob,
      { startTime, at, outcome }: { startTime: string; at: Date; outcome: JobOutcome },
    ): Promise<JobRecord> => {
      const succeeded = (from: WaitingJob | ProcessingJob): JobRecord => ({
        ...from,
        status: 'success',
        startTime: from.status === 'waiting' ? startTime : from.startTime,
        endTime: at.toISOString(),
        ...outcome,
      })
      const changed = await change(job, succeeded(job))
      // It may have changed from waiting to processing since it was read.
      return changed.status === 'processing' ? change(changed, succeeded(changed)) : changed
    },

    /** waiting or processing -> error. */
    fail: async (
      job: JobRecord,
      at: Date,
      { error, results = null }: { error: JobError; results?: Record<string, unknown> | null },
    ): Promise<JobRecord> => {
      // Field by field, so that the stored job has no fields of another state.
      const failed = (from: JobRecord): JobRecord => ({
        ...acceptedPart(from),
        status: 'error',
        startTime: from.status === 'waiting' ? null : from.startTime,
        endTime: at.toISOString(),
        results,
        error,
      })
      const changed = isFinal(job) ? job : await change(job, failed(job))
      // It may have changed from waiting to processing since it was read.
      return isFinal(changed) ? changed : change(changed, failed(changed))
    },
  }
}

const acceptedPart = ({
  id,
  input,
  queueTableId,
  tableId,
  operationParams,
  branchId,
  createdTime,
  runId,
  creatorToken,
  baseUrl,
  requestKey,
}: JobRecord) => ({
  id,
  input,
  queueTableId,
  tableId,
  operationParams,
  ...(branchId !== undefined && { branchId }),
  createdTime,
  runId,
  creatorToken,
  baseUrl,
  requestKey,
})

export type JobStore = ReturnType<typeof createJobStore>

/** The error that a job shows when the fault is ours. It never reveals the cause. */
export const internalJobError = (exceptionId: string): JobError => ({
  code: 'internalError' satisfies ErrorCode,
  message: `Internal error. The job was not done. Quote ${exceptionId} when you report it.`,
  exceptionId,
  contextParams: {},
})
