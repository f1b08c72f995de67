import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { defaultBranchId } from '../lib/storage/branches/branch-store.ts'
import type { EventRecord } from '../lib/storage/events/event-store.ts'
import type { FinalJob, JobInput } from '../lib/storage/jobs/job-record.ts'
import type { RunJobServices } from './services.ts'

interface JobSummary {
  /** Name of the event when the job succeeded. When it failed: `storage.<operation>Error`. */
  event: string
  objectType: 'table' | 'bucket'
  objectId: string
  message: string
}

/** What a job does to a table or a bucket. `undefined` for other jobs. */
const summarise = (input: JobInput): JobSummary | undefined => {
  const ofTable = (objectId: string, event: string, what: string): JobSummary => ({
    event: `storage.${event}`,
    objectType: 'table',
    objectId,
    message: `${what} table ${objectId}`,
  })
  switch (input.operationName) {
    case 'tableCreate':
    case 'tableDefinitionCreate':
      return ofTable(`${input.bucketId}.${input.name}`, 'tableCreated', 'Created')
    case 'tableImport':
      return ofTable(input.tableId, 'tableImportDone', 'Imported into')
    case 'tableExport':
      return ofTable(input.tableId, 'tableExported', 'Exported')
    case 'tableUpdate':
      return ofTable(input.tableId, 'tableUpdated', 'Updated')
    case 'tableColumnAdd':
      return ofTable(input.tableId, 'tableColumnAdded', `Added column ${input.name} to`)
    case 'tableColumnDelete':
      return ofTable(input.tableId, 'tableColumnDeleted', `Deleted column ${input.name} of`)
    case 'tablePrimaryKeyAdd':
      return ofTable(input.tableId, 'tablePrimaryKeyAdded', 'Set the primary key of')
    case 'tablePrimaryKeyDelete':
      return ofTable(input.tableId, 'tablePrimaryKeyDeleted', 'Removed the primary key of')
    case 'tableRowsDelete':
      return ofTable(input.tableId, 'tableRowsDeleted', 'Deleted rows of')
    case 'tableSnapshotCreate':
      return ofTable(input.tableId, 'tableSnapshotCreated', 'Kept a snapshot of')
    case 'tableDrop':
      return ofTable(input.tableId, 'tableDeleted', 'Deleted')
    case 'bucketDelete':
    case 'bucketUpdate': {
      const [event, what] =
        input.operationName === 'bucketDelete' ? ['bucketDeleted', 'Deleted'] : ['bucketUpdated', 'Updated']
      return {
        event: `storage.${event}`,
        objectType: 'bucket',
        objectId: input.bucketId,
        message: `${what} bucket ${input.bucketId}`,
      }
    }
    default:
      return undefined
  }
}

const importWarnings = z.object({ warnings: z.array(z.string()) })

/** Details of a job may be too long for an event. These are what readers of events need. */
const resultsOf = (job: FinalJob): Record<string, unknown> => {
  const { importedRowsCount, totalRowsCount, warnings, file } = job.results ?? {}
  const { inBytes, outBytes } = job.status === 'success' ? job.metrics : { inBytes: 0, outBytes: 0 }
  return { importedRowsCount, totalRowsCount, warnings, file, inBytes, outBytes }
}

/**
 * Records what a job did to a table or a bucket in the events of the project and of that table or bucket. The job is
 * already done: an event that cannot be stored is only logged.
 */
export const recordJobEvent = async (
  job: FinalJob,
  { events, nextId, log }: Pick<RunJobServices, 'events' | 'nextId' | 'log'>,
): Promise<void> => {
  const summary = summarise(job.input)
  if (!summary) return
  const isDone = job.status === 'success'
  const { warnings } = importWarnings.catch({ warnings: [] }).parse(job.results)
  const milliseconds = job.startTime === null ? null : Date.parse(job.endTime) - Date.parse(job.startTime)
  const make = (id: number): EventRecord => ({
    id,
    uuid: randomUUID(),
    event: isDone ? summary.event : `storage.${job.input.operationName}Error`,
    component: 'storage',
    message: isDone ? summary.message : `Failed: ${summary.message}`,
    description: isDone ? warnings.join('\n') : job.error.message,
    type: isDone ? (warnings.length > 0 ? 'warn' : 'success') : 'error',
    runId: job.runId,
    configurationId: null,
    created: job.endTime,
    params: JSON.stringify({ jobId: job.id }),
    results: JSON.stringify(resultsOf(job)),
    performance: '{}',
    duration: milliseconds === null ? null : milliseconds / 1000,
    branchId: defaultBranchId,
    objectType: summary.objectType,
    objectId: summary.objectId,
    token: { id: job.creatorToken.id, name: job.creatorToken.description },
  })
  await events.create(nextId, make).catch(error => log.error('event not stored', { jobId: job.id, error }))
}
