import { z } from 'zod'
import { type AuditEventName, attachmentOf, type auditEvent } from '../../lib/storage/events/audit-event.ts'
import type { FinalJob, InputOf } from '../../lib/storage/jobs/job-record.ts'
import { nameOfTable } from '../../lib/storage/tables/table-store.ts'
import type { RunJobServices } from './services.ts'

type Facts = Omit<Parameters<typeof auditEvent>[1], 'results'>

/** One change that a job makes, as an event says it. */
interface JobChange {
  name: AuditEventName
  facts: Facts
}

/** What a job changes: nothing for a run of a configuration, whose events are those of its component. */
export const changesOf = async (
  job: FinalJob,
  services: Pick<RunJobServices, 'files'>,
): Promise<JobChange[]> => {
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
    case 'tableOptimize':
      return ofTable(input.tableId, 'tableOptimized')
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
    case 'devBranchMerge':
      return mergeChanges(job, input.mergeRequestId)
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

/** A merge passes through two states at once. */
const mergeChanges = (job: FinalJob, mergeRequestId: number): JobChange[] => {
  const id = String(mergeRequestId)
  const name = String(job.operationParams['title'] ?? mergeRequestId)
  const moved = (stateFrom: string, state: string): JobChange => ({
    name: 'mergeRequestStateChanged',
    facts: { id, name, words: { state }, params: { stateFrom, stateTo: state, mergeRequestId } },
  })
  return [moved('approved', 'in_merge'), moved('in_merge', 'published')]
}

const ofColumn = (column: string) => ({ words: { column }, params: { column } })

const ofBucket = (id: string) => ({ id, name: id.slice(id.indexOf('.') + 1) })

/** The file may be deleted or expired by now: then there is nothing to attach. An address may hold a signature. */
const loadOf = async (
  { fileId, incremental }: { fileId?: number | undefined; incremental: boolean },
  { files }: Pick<RunJobServices, 'files'>,
) => {
  if (fileId === undefined) return { params: { source: { type: 'url' }, incremental } }
  const file = await files.getReadable(fileId)
  return {
    params: { source: { fileId, type: 'file' }, incremental },
    attachments: file ? [attachmentOf(file)] : [],
  }
}
