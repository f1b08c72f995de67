import pMap from 'p-map'
import { z } from 'zod'
import { cutText } from '../../cut-text.ts'
import { attachmentOf, auditEvent } from '../events/audit-event.ts'
import { type EventRecord, emptyEvent } from '../events/event-store.ts'
import type { FileRecord } from '../files/file-store.ts'
import { nameOfTable } from '../tables/table-store.ts'
import { kindOf } from './job-kinds.ts'
import { branchOf, type FinalJob, type JobRecord } from './job-record.ts'

/** The file of a load, if it is still there. */
export type FindFile = (id: number) => Promise<FileRecord | undefined>

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
const eventOfJob = (
  job: JobRecord,
  created: string,
): Omit<EventRecord, 'id' | 'component' | 'message' | 'type'> => ({
  ...emptyEvent,
  runId: job.runId,
  created,
  context,
  branchId: branchOf(job),
  token: { id: job.creatorToken.id, name: job.creatorToken.description },
})

/** Most of an event that says what was wrong with a file, which the job says whole. */
const MOST_DESCRIPTION = 50_000

/** What a job has done, or has not, wherever a person looks for it among the events. */
export const eventsOf = async (job: FinalJob, findFile: FindFile): Promise<Omit<EventRecord, 'id'>[]> => {
  const isDone = job.status === 'success'
  const { warnings } = importWarnings.catch({ warnings: [] }).parse(job.results)
  const milliseconds = job.startTime === null ? null : Date.parse(job.endTime) - Date.parse(job.startTime)
  const changes = kindOf(job.input).changes?.(job.input, job.id, isDone) ?? []
  return pMap(changes, async ({ name, facts: { params, ...facts }, load }) => {
    const loaded = load && (await loadOf(load, findFile))
    const change = auditEvent(name, {
      ...facts,
      params: { jobId: job.id, ...params, ...loaded?.params },
      results: resultsOf(job),
      ...(loaded && { attachments: loaded.attachments }),
    })
    return {
      ...eventOfJob(job, job.endTime),
      ...change,
      event: isDone ? change.event : `storage.${job.input.operationName}Error`,
      message: isDone ? change.message : `Failed: ${change.message}`,
      description: cutText(isDone ? warnings.join('\n') : job.error.message, MOST_DESCRIPTION),
      type: isDone ? (warnings.length > 0 ? 'warn' : 'success') : 'error',
      duration: milliseconds === null ? null : milliseconds / 1000,
    }
  })
}

/** Of an alias that goes with the table that it shows. */
export const aliasDropped = (job: JobRecord, tableId: string, at: Date): Omit<EventRecord, 'id'> => ({
  ...eventOfJob(job, at.toISOString()),
  ...auditEvent('tableDeleted', {
    id: tableId,
    name: nameOfTable(tableId),
    params: { jobId: job.id },
  }),
})

/** The file may be deleted or expired by now: then there is nothing to attach. */
const loadOf = async (
  { fileId, incremental }: { fileId: number; incremental: boolean },
  findFile: FindFile,
) => {
  const file = await findFile(fileId)
  return {
    params: { source: { fileId, type: 'file' }, incremental },
    attachments: file ? [attachmentOf(file)] : [],
  }
}
