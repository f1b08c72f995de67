import { TransientError } from '../../lib/errors/errors.ts'
import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { refuseSwap } from '../../lib/storage/tables/drop-table.ts'
import { tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import type { TableContent, TableRecord } from '../../lib/storage/tables/table-record.ts'
import { tableIdOf } from '../../lib/storage/tables/table-store.ts'
import type { RunJobServices } from '../job/services.ts'
import { type Outcome, tableResults } from './outcome.ts'

/**
 * Two tables exchange rows, columns, types, keys and history. Names, aliases, metadata and the dates of loads stay where they are.
 *
 * The job has its place in the queues of both and holds both leases. The first head gets the other's content and keeps its own beside it, with one write; then the second head
 * gets that; then the first one forgets it. A run that comes after a crash goes on from there.
 */
export const swapTables = async (
  job: ProcessingJob,
  { tableId, targetTableId }: InputOf<'tableSwap'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const [first = '', second = ''] = [tableId, targetTableId].toSorted()
  await services.own.table(second)
  await swap(job, { first, second }, services)
  const table = await services.tables.getHead(tableId)
  return { results: table ? await tableResults(job, table, services) : null }
}

type Ids = Readonly<Record<'first' | 'second', string>>

const swap = async (job: ProcessingJob, ids: Ids, services: RunJobServices): Promise<void> => {
  const found = await services.tables.get(ids.first)
  if (!found) throw tableNotFound(ids.first, services.projectId)
  const isOwn = found.swapping?.jobId === job.id
  if (found.lastJob?.id === job.id && !isOwn) return
  const begun = isOwn ? found : await begin(job, found, ids, services)
  await giveOther(job, begun, ids, services)
  const { swapping: _, ...done } = begun
  await store(done, services)
}

/** The first table gets the content of the second, and keeps its own. Resolves to it as it is stored. */
const begin = async (
  job: ProcessingJob,
  table: TableRecord,
  ids: Ids,
  services: RunJobServices,
): Promise<TableRecord> => {
  const other = await services.tables.get(ids.second)
  if (!other) throw tableNotFound(ids.second, services.projectId)
  await refuseSwap(table, other, services.aliases)
  const { snapshot, ...own } = contentOf(table)
  const content = { ...own, snapshot: { ...snapshot, files: [] } }
  const swapping = { jobId: job.id, otherId: other.internalId, content }
  return store({ ...withContent(job, table, contentOf(other), services), swapping }, services)
}

/** The second table gets what the first one had. When it was deleted meanwhile, the first one gets its own back. */
const giveOther = async (
  job: ProcessingJob,
  begun: TableRecord,
  ids: Ids,
  services: RunJobServices,
): Promise<void> => {
  const { tables, projectId } = services
  const { swapping, ...rest } = begun
  if (!swapping) throw new Error(`The table ${ids.first} is not being swapped`)
  const { content, otherId } = swapping
  const files = await tables.filesOf(content.metadataKey)
  const before = { ...content, snapshot: { ...content.snapshot, files } }
  const isAlias = (await tables.getAlias(ids.second)) !== undefined
  const other = isAlias ? undefined : await tables.get(ids.second)
  if (other?.internalId !== otherId) {
    await store(withContent(job, rest, before, services), services)
    throw tableNotFound(ids.second, projectId)
  }
  if (other.lastJob?.id === job.id) return
  await store(withContent(job, other, before, services), services)
}

const contentOf = ({ snapshot, metadataKey, definition }: TableRecord): TableContent => {
  if (metadataKey === undefined) throw new Error('A table that is stored has metadata')
  return { snapshot, metadataKey, ...(definition && { definition }) }
}

const withContent = (
  job: ProcessingJob,
  { definition: _, ...table }: TableRecord,
  content: TableContent,
  { now }: RunJobServices,
): TableRecord => ({
  ...table,
  ...content,
  lastChangeDate: now().toISOString(),
  lastJob: { id: job.id, results: null },
})

/** Nobody else changes rows meanwhile, but names change at any time: then the job begins again where it was. */
const store = async (table: TableRecord, { tables }: RunJobServices): Promise<TableRecord> => {
  if (await tables.replace(table)) return { ...table, revision: table.revision + 1 }
  const tableId = tableIdOf(table)
  throw new TransientError('storage.tables.moved', `The table "${tableId}" was changed while the job ran.`)
}
