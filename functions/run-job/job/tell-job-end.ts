import { z } from 'zod'
import type { UserError } from '../../lib/errors/errors.ts'
import { createExceptionId } from '../../lib/errors/exception-id.ts'
import { type AuditEventName, attachmentOf, auditEvent } from '../../lib/storage/events/audit-event.ts'
import type { EventRecord } from '../../lib/storage/events/event-store.ts'
import {
  branchOf,
  type FinalJob,
  type InputOf,
  type JobError,
  type JobRecord,
} from '../../lib/storage/jobs/job-record.ts'
import { nameOfTable } from '../../lib/storage/tables/table-store.ts'
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
const eventOfJob = (
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
export const tellJobEnd = async (job: FinalJob, services: RunJobServices): Promise<void> => {
  logJobEnd(job, services)
  await recordJobEvent(job, services)
}

/** The error of a job. What helps to correct the file is in the results too. */
export const jobFailure = ({ code, message, params }: UserError) => {
  const error: JobError = { code, message, exceptionId: createExceptionId(), contextParams: params }
  const { missingColumns, expectedColumns } = params
  return { error, results: missingColumns === undefined ? null : { missingColumns, expectedColumns } }
}

type Facts = Omit<Parameters<typeof auditEvent>[1], 'results'>

/** One change that a job makes, as an event says it. */
interface JobChange {
  name: AuditEventName
  facts: Facts
}

/** What a job changes: nothing for a run of a configuration, whose events are those of its component. */
const changesOf = async (job: FinalJob, services: Pick<RunJobServices, 'files'>): Promise<JobChange[]> => {
  const { input } = job
  const change = (name: AuditEventName, facts: Facts): JobChange[] => [{ name, facts }]
  const ofTable = (
    tableId: string,
    name: AuditEventName,
    { words = {}, ...facts }: Omit<Facts, 'id' | 'name'> = {},
  ) => change(name, { id: tableId, name: nameOfTable(tableId), words, ...facts })

  switch (input.operationName) {
    case 'tableCreate':
    case 'tableDefinitionCreate': {
      const tableId = `${input.bucketId}.${input.name}`
      const source = 'source' in input ? input.source : undefined
      const created = ofTable(tableId, 'tableCreated', originOf(source))
      if (job.status !== 'success' || source?.type !== 'file') return created
      const loaded = await loadOf({ fileId: source.fileId, incremental: false }, services)
      return [...created, ...ofTable(tableId, 'tableImportDone', loaded)]
    }
    case 'tableImport':
      return ofTable(input.tableId, 'tableImportDone', await loadOf(input, services))
    case 'tableExport':
      return ofTable(input.tableId, 'tableExported', {
        params: { fileType: input.fileType, gzip: input.gzip },
      })
    case 'tableUpdate':
      return ofTable(input.tableId, 'tableUpdated', { params: { displayName: input.displayName } })
    case 'tableColumnAdd':
      return ofTable(input.tableId, 'tableColumnAdded', ofColumn(input.name))
    case 'tableColumnDefinitionUpdate':
      return ofTable(input.tableId, 'tableColumnsUpdated', {
        params: { column: input.name, definition: input.change },
      })
    case 'tableDefinitionUpdate': {
      const { displayName, description, columns } = input
      return ofTable(input.tableId, 'tableColumnsUpdated', { params: { displayName, description, columns } })
    }
    case 'tableColumnDelete':
      return ofTable(input.tableId, 'tableColumnDeleted', ofColumn(input.name))
    case 'tablePrimaryKeyAdd':
      return ofTable(input.tableId, 'tablePrimaryKeyAdded', { params: { columns: input.columns } })
    case 'tablePrimaryKeyDelete':
      return ofTable(input.tableId, 'tablePrimaryKeyDeleted')
    case 'tableRowsDelete':
      return ofTable(input.tableId, 'tableRowsDeleted')
    case 'tableSnapshotCreate':
      return ofTable(input.tableId, 'tableSnapshotCreated', { params: { description: input.description } })
    case 'tableSnapshotDelete':
      return change('tableSnapshotDeleted', { id: String(input.snapshotId) })
    case 'tableRestore':
      return ofTable(input.tableId, 'tableRestored', { params: { snapshotId: input.snapshotId } })
    case 'tableSwap': {
      const { tableId, targetTableId } = input
      return [
        ...ofTable(tableId, 'tableSwapped', { words: { other: targetTableId }, params: { targetTableId } }),
        ...ofTable(targetTableId, 'tableSwapped', {
          words: { other: tableId },
          params: { targetTableId: tableId },
        }),
      ]
    }
    case 'tablePull':
      return ofTable(input.tableId, 'tableCopyToBucket')
    case 'tableDrop':
      return [...deletedAliases(job), input.tableId].flatMap(id => ofTable(id, 'tableDeleted'))
    case 'bucketDelete':
      return [
        ...deletedAliases(job).flatMap(id => ofTable(id, 'tableDeleted')),
        ...change('bucketDeleted', ofBucket(input.bucketId)),
      ]
    case 'bucketUpdate': {
      const { displayName, color } = input
      return change('bucketUpdated', { ...ofBucket(input.bucketId), params: { displayName, color } })
    }
    case 'fileDelete':
      return change('fileDeleted', { id: String(input.fileId) })
    case 'devBranchCreate':
      return change('devBranchCreated', { id: String(job.id), name: input.name })
    case 'devBranchDelete':
      return change('devBranchDeleted', { id: String(input.branchId), name: input.name ?? '' })
    default:
      return []
  }
}

/** Of a table that is another one as it was at a time. */
const originOf = (source: InputOf<'tableCreate'>['source'] | undefined): Pick<Facts, 'params'> => {
  if (source?.type !== 'table') return {}
  const { tableId, at } = source
  return { params: { source: { sourceTableId: tableId, timestamp: at, type: 'timeTravel' } } }
}

/** Aliases go with the table that they show. */
const deletedAliases = ({ results }: FinalJob): string[] =>
  withAliases.catch({ deletedAliases: [] }).parse(results).deletedAliases

const withAliases = z.object({ deletedAliases: z.array(z.string()) })

const ofColumn = (column: string) => ({ words: { column }, params: { column } })

const ofBucket = (id: string) => ({ id, name: id.slice(id.indexOf('.') + 1) })

/** The file may be deleted or expired by now: then there is nothing to attach. */
const loadOf = async (
  { fileId, incremental }: { fileId: number; incremental: boolean },
  { files }: Pick<RunJobServices, 'files'>,
) => {
  const file = await files.getReadable(fileId)
  return {
    params: { source: { fileId, type: 'file' }, incremental },
    attachments: file ? [attachmentOf(file)] : [],
  }
}
