import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { withDates } from '../../lib/storage/tables/row-selection.ts'
import type { RunJobServices } from '../services.ts'
import { changeTable } from './change-table.ts'

export const deleteRows = (
  job: ProcessingJob,
  { tableId, conditions }: InputOf<'tableRowsDelete'>,
  services: RunJobServices,
) =>
  changeTable(job, tableId, services, async table => {
    const engine = await services.tableEngine()
    const { snapshot, bytesRead } = await engine.deleteRows({
      ...withDates(conditions),
      snapshot: table.snapshot,
      keyPrefix: `tables/${table.internalId}/${job.id}/`,
    })
    services.log.info('Rows deleted', { jobId: job.id, tableId, bytesRead })
    return {
      table: { ...table, snapshot },
      results: { deletedRows: table.snapshot.rowsCount - snapshot.rowsCount },
    }
  })
