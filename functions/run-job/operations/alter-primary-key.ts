import { UserError } from '../../lib/errors/errors.ts'
import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { refuseReferencedKey } from '../../lib/storage/tables/aliases/alias-rules.ts'
import { refuseKey } from '../../lib/storage/tables/table-columns.ts'
import type { RunJobServices } from '../services.ts'
import { changeTable } from './change-table.ts'

export const addPrimaryKey = (
  job: ProcessingJob,
  { tableId, columns }: InputOf<'tablePrimaryKeyAdd'>,
  services: RunJobServices,
) =>
  changeTable(job, tableId, services, async table => {
    refuseKey(table, columns)
    const engine = await services.tableEngine()
    if (await engine.hasDuplicates(table.snapshot, columns))
      throw new UserError(
        'storage.tables.primaryKeyDuplicateValues',
        `The table has rows with the same values in the columns ${columns.join(', ')}: they cannot be its primary key.`,
      )
    return { table: { ...table, snapshot: { ...table.snapshot, primaryKey: columns } } }
  })

/** A table without a key stays unchanged. */
export const deletePrimaryKey = (
  job: ProcessingJob,
  { tableId }: InputOf<'tablePrimaryKeyDelete'>,
  services: RunJobServices,
) =>
  changeTable(job, tableId, services, async table => {
    await refuseReferencedKey(table, services.aliases)
    return { table: { ...table, snapshot: { ...table.snapshot, primaryKey: [] } } }
  })
