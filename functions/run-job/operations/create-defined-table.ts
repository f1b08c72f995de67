import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { emptySnapshot } from '../../lib/table-engine/snapshot.ts'
import type { RunJobServices } from '../services.ts'
import { insertTable } from './insert-table.ts'

/** Creates an empty table with the columns of a definition. */
export const createDefinedTable = async (
  job: ProcessingJob,
  { definition, ...newTable }: InputOf<'tableDefinitionCreate'>,
  services: RunJobServices,
): Promise<Record<string, unknown>> => {
  const columns = definition.columns.map(({ name }) => name)
  const { resource } = await insertTable(job, newTable, services, async () => ({
    snapshot: emptySnapshot(columns, definition.primaryKeysNames),
    load: {
      jobId: job.id,
      importedColumns: [],
      importedRowsCount: 0,
      warnings: [],
      inBytes: 0,
      isCompressed: false,
      durationSeconds: 0,
    },
    definition,
    isEmpty: true,
  }))
  return resource
}
