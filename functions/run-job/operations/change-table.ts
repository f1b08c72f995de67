import { TransientError } from '../../lib/errors/errors.ts'
import type { ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { definitionFor } from '../../lib/storage/tables/table-definition.ts'
import { tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import type { TableRecord } from '../../lib/storage/tables/table-record.ts'
import type { RunJobServices } from '../services.ts'

interface Change {
  table: TableRecord
  /** The job's results. */
  results?: Record<string, unknown> | null
}

/**
 * Changes a table by replacing its head, on condition that the head has not changed. The head stores the job and its
 * results, so that a repeated run finds its work done. Resolves to the changed table and the results.
 */
export const changeTable = async (
  job: ProcessingJob,
  tableId: string,
  services: RunJobServices,
  change: (table: TableRecord) => Promise<Change>,
): Promise<Required<Change>> => {
  const table = await services.tables.get(tableId)
  if (!table) throw tableNotFound(tableId, services.projectId)
  if (table.lastJob?.id === job.id) return { table, results: table.lastJob.results }

  const { table: changed, results = null } = await change(table)
  const moved: TableRecord = {
    ...changed,
    ...(changed.definition && { definition: definitionFor(changed.definition, changed.snapshot) }),
    lastChangeDate: services.now().toISOString(),
    lastJob: { id: job.id, results },
  }
  if (await services.tables.replace(moved)) return { table: moved, results }

  const winner = await services.tables.get(tableId)
  // Deleted in the meantime. If it exists again, it is a new table that this change is not meant for.
  if (winner?.internalId !== table.internalId) throw tableNotFound(tableId, services.projectId)
  if (winner.lastJob?.id === job.id) return { table: winner, results: winner.lastJob.results }
  throw new TransientError('storage.tables.moved', `The table "${tableId}" was changed while the job ran.`)
}
