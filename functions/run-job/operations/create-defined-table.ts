import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { columnField } from '../../lib/storage/tables/table-definition.ts'
import { emptySnapshot, withFields } from '../../lib/table-engine/snapshot.ts'
import type { RunJobServices } from '../services.ts'
import { insertTable } from './insert-table.ts'
import type { Outcome } from './outcome.ts'

/** Creates an empty table with the columns of a definition, typed unless none of them has a type. */
export const createDefinedTable = async (
  job: ProcessingJob,
  { definition, isTyped = true, ...newTable }: InputOf<'tableDefinitionCreate'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const columns = definition.columns.map(({ name }) => name)
  const key = definition.primaryKeysNames
  const { resource, alsoEnded } = await insertTable(job, newTable, services, async () => ({
    snapshot: isTyped
      ? withFields(emptySnapshot([], key), definition.columns.map(columnField))
      : emptySnapshot(columns, key),
    load: {
      jobId: job.id,
      importedColumns: [],
      importedRowsCount: 0,
      warnings: [],
      inBytes: 0,
      isCompressed: false,
      durationSeconds: 0,
    },
    ...(isTyped && { definition }),
    isEmpty: true,
  }))
  return { results: resource, alsoEnded }
}
