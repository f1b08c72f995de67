import { z } from 'zod'
import { cutText } from '../../cut-text.ts'
import { type AuditEventName, attachmentOf, auditEvent } from '../events/audit-event.ts'
import { type EventRecord, emptyEvent } from '../events/event-store.ts'
import type { FileRecord } from '../files/file-store.ts'
import { nameOfTable } from '../tables/table-store.ts'
import { branchOf, type FinalJob, type InputOf, type JobRecord } from './job-record.ts'

/** The file of a load, if it is still there. */
type FindFile = (id: number) => Promise<FileRecord | undefined>

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
  const changes = await changesOf(job, findFile)
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
      description: cutText(isDone ? warnings.join('\n') : job.error.message, MOST_DESCRIPTION),
      type: isDone ? (warnings.length > 0 ? 'warn' : 'success') : 'error',
      duration: milliseconds === null ? null : milliseconds / 1000,
    }
  })
}

type Facts = Omit<Parameters<typeof auditEvent>[1], 'results'>

/** One change that a job makes, as an event says it. */
interface JobChange {
  name: AuditEventName
  facts: Facts
}

/** What a job changes: nothing for a run of a configuration, whose events are those of its component. */
const changesOf = async (job: FinalJob, findFile: FindFile): Promise<JobChange[]> => {
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
      const loaded = await loadOf({ fileId: source.fileId, incremental: false }, findFile)
      return [...created, ...ofTable(tableId, 'tableImportDone', loaded)]
    }
    case 'tableImport':
      return ofTable(input.tableId, 'tableImportDone', await loadOf(input, findFile))
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
    // Aliases that go with a table are told of with the end of each.
    case 'tableDrop':
      return ofTable(input.tableId, 'tableDeleted', { params: { force: input.force } })
    case 'bucketDelete':
      return change('bucketDeleted', { ...ofBucket(input.bucketId), params: { force: input.force } })
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

/** Of an alias that goes with the table that it shows. */
export const aliasDropped = (job: JobRecord, tableId: string, at: Date): Omit<EventRecord, 'id'> => ({
  ...eventOfJob(job, at.toISOString()),
  ...auditEvent('tableDeleted', {
    id: tableId,
    name: nameOfTable(tableId),
    params: { jobId: job.id },
  }),
})

const ofColumn = (column: string) => ({ words: { column }, params: { column } })

const ofBucket = (id: string) => ({ id, name: id.slice(id.indexOf('.') + 1) })

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
