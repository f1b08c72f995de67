import { z } from 'zod'
import type { UserError } from '../../lib/errors/errors.ts'
import { createExceptionId } from '../../lib/errors/exception-id.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import type { EventRecord } from '../../lib/storage/events/event-store.ts'
import { branchOf, type FinalJob, type JobError, type JobRecord } from '../../lib/storage/jobs/job-record.ts'
import { changesOf } from './job-events.ts'
import { logJobEnd } from './log-job.ts'
import type { RunJobServices } from './services.ts'

const importWarnings = z.object({ warnings: z.array(z.string()) })

/** Details of a job may be too long for an event. These are what readers of events need. */
const resultsOf = (job: FinalJob): Record<string, unknown> => {
  const { importedRowsCount, replacedRowsCount, totalRowsCount, warnings, file } = job.results ?? {}
  const { inBytes, outBytes } = job.status === 'success' ? job.metrics : { inBytes: 0, outBytes: 0 }
  return { importedRowsCount, replacedRowsCount, totalRowsCount, warnings, file, inBytes, outBytes }
}

/** The request that made the job is over: its headers are not known any more. */
const context = JSON.stringify({
  remoteAddr: null,
  httpReferer: null,
  httpUserAgent: null,
  apiVersion: 'v2',
  userAgent: null,
  async: true,
})

/** An event in the name of whoever asked for the job. */
export const eventOfJob = (
  job: JobRecord,
  created: string,
): Omit<EventRecord, 'id' | 'component' | 'message' | 'type'> => ({
  event: '',
  description: '',
  runId: job.runId,
  configurationId: null,
  created,
  params: '{}',
  results: '{}',
  performance: '{}',
  context,
  duration: null,
  branchId: branchOf(job),
  objectType: null,
  objectId: '',
  objectName: null,
  attachments: [],
  token: { id: job.creatorToken.id, name: job.creatorToken.description },
})

const eventsOf = async (
  job: FinalJob,
  services: Pick<RunJobServices, 'files'>,
): Promise<Omit<EventRecord, 'id'>[]> => {
  const isDone = job.status === 'success'
  const { warnings } = importWarnings.catch({ warnings: [] }).parse(job.results)
  const milliseconds = job.startTime === null ? null : Date.parse(job.endTime) - Date.parse(job.startTime)
  const changes = await changesOf(job, services)
  return changes.map(({ name, facts: { params, ...facts } }) => {
    const change = auditEvent(name, {
      ...facts,
      params: { jobId: job.id, ...params },
      results: resultsOf(job),
    })
    return {
      ...eventOfJob(job, job.endTime),
      ...change,
      event: isDone ? change.event : `storage.${job.input.operationName}Error`,
      message: isDone ? change.message : `Failed: ${change.message}`,
      description: isDone ? warnings.join('\n') : job.error.message,
      type: isDone ? (warnings.length > 0 ? 'warn' : 'success') : 'error',
      duration: milliseconds === null ? null : milliseconds / 1000,
    }
  })
}

/**
 * Records what a job has done. The job is already closed: an event that cannot be stored is only logged, with what it
 * would have said.
 */
const recordJobEvent = async (
  job: FinalJob,
  services: Pick<RunJobServices, 'events' | 'files' | 'nextId' | 'log'>,
): Promise<void> => {
  const { events, nextId, log } = services
  const failed = (error: unknown, event?: string) =>
    log.error('event not stored', {
      jobId: job.id,
      operationName: job.input.operationName,
      status: job.status,
      event,
      error,
    })
  try {
    for (const event of await eventsOf(job, services))
      await events.create(nextId, id => ({ ...event, id })).catch(error => failed(error, event.event))
  } catch (error) {
    failed(error)
  }
}

/** Says wherever a person looks what a job has done: in the log, in the figures and among the events. */
export const recordJobEnd = async (job: FinalJob, services: RunJobServices): Promise<void> => {
  logJobEnd(job, services)
  await recordJobEvent(job, services)
}

/** The error of a job. What helps to correct the file is in the results too. */
export const jobFailure = ({ code, message, params }: UserError) => {
  const error: JobError = { code, message, exceptionId: createExceptionId(), contextParams: params }
  const { missingColumns, expectedColumns } = params
  return { error, results: missingColumns === undefined ? null : { missingColumns, expectedColumns } }
}
