import { deleteBucket } from '../../lib/storage-store/delete-bucket.ts'
import { type JobMetrics, noMetrics, type ProcessingJob } from '../../lib/storage-store/job-record.ts'
import { updateBucket } from '../../lib/storage-store/update-bucket.ts'
import type { RunJobServices } from '../run-job.ts'
import { createTable } from './create-table.ts'
import { deleteFile } from './delete-file.ts'
import { exportTable } from './export-table.ts'
import { importTable } from './import-table.ts'

/** What a job leaves to read when it succeeds. */
export interface Outcome {
  results: Record<string, unknown> | null
  metrics: JobMetrics
}

const nothingToReport: Outcome = { results: null, metrics: noMetrics }

/**
 * The work of a job, by its operation. Each may be run again after it broke off at any point, or while another run of
 * the same job is under way. Throws `UserError` when the job cannot be done as it was asked for.
 */
export const runOperation = async (job: ProcessingJob, services: RunJobServices): Promise<Outcome> => {
  const { input } = job
  switch (input.operationName) {
    case 'tableCreate':
      return createTable(job, input, services)
    case 'tableImport':
      return importTable(job, input, services)
    case 'tableExport':
      return exportTable(job, input, services)
    case 'tableDrop': {
      const table = await services.tables.get(input.tableId)
      if (table) await services.tables.delete(table)
      return nothingToReport
    }
    case 'bucketDelete':
      await deleteBucket(input.bucketId, input.force, services)
      return nothingToReport
    case 'bucketUpdate':
      await updateBucket(input.bucketId, input, services)
      return nothingToReport
    case 'fileDelete':
      await deleteFile(input.fileId, services)
      return nothingToReport
  }
}
