import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { updateTable as changeTable } from '../../lib/storage/tables/update-table.ts'
import type { RunJobServices } from '../services.ts'
import { type Outcome, tableResults } from './outcome.ts'

/** Idempotent by itself, so the table need not store the job. */
export const updateTable = async (
  job: ProcessingJob,
  { tableId, displayName }: InputOf<'tableUpdate'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const table = await changeTable(tableId, { displayName }, services)
  return { results: await tableResults(job, table, services) }
}
