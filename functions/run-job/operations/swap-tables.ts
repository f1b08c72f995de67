import { together } from '../../lib/items/item-table.ts'
import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { refuseSwap } from '../../lib/storage/tables/drop-table.ts'
import { tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import { timeAfter } from '../../lib/storage/tables/table-record.ts'
import type { StoredTable } from '../../lib/storage/tables/table-store.ts'
import type { RunJobServices } from '../job/services.ts'
import { type Outcome, tableResults } from './outcome.ts'
import { replaceHead } from './replace-head.ts'

/**
 * Two tables exchange rows, columns, types, keys and history. Names, aliases, metadata and the dates of loads stay where they are. The job has
 * its place in the queues of both and holds both leases; both heads move with its end.
 */
export const swapTables = async (
  job: ProcessingJob,
  { tableId, targetTableId }: InputOf<'tableSwap'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const [first, second] = await Promise.all([tableId, targetTableId].map(id => ownTable(id, services)))
  if (!first || !second) throw new Error('Each of them is there, or its error thrown')
  await refuseSwap(first, second, services.aliases)
  const lastChangeDate = timeAfter(services.now(), first, second).toISOString()
  const swapped = [
    replaceHead(withContent(first, second, lastChangeDate), services, { before: first }),
    replaceHead(withContent(second, first, lastChangeDate), services, { before: second }),
  ]
  return {
    results: await tableResults(job, withContent(first, second, lastChangeDate), services),
    decide: isAgain => together(...swapped.map(decide => decide(isAgain))),
  }
}

const ownTable = async (
  tableId: string,
  { own, tables, projectId }: RunJobServices,
): Promise<StoredTable> => {
  await own.table(tableId)
  const table = await tables.get(tableId)
  if (!table) throw tableNotFound(tableId, projectId)
  return table
}

const withContent = (
  { definition: _, ...table }: StoredTable,
  { snapshot, metadataKey, definition }: StoredTable,
  lastChangeDate: string,
): StoredTable => ({ ...table, snapshot, metadataKey, ...(definition && { definition }), lastChangeDate })
