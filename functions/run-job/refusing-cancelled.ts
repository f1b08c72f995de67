import type { ProcessingJob } from '../lib/storage/jobs/job-record.ts'
import type { RunJobServices } from './services.ts'

/**
 * The services of a job that changes one table, or makes one: before its head moves, somebody may still cancel the job. What changes more than
 * one thing is not left half done, so it goes on to its end.
 */
export const refusingCancelled = (
  { id, queueTableId, tableId, input }: ProcessingJob,
  services: RunJobServices,
): RunJobServices => {
  const isOfOneTable = queueTableId !== null && (tableId !== null || input.operationName.endsWith('Create'))
  if (!isOfOneTable) return services
  const { tables, jobs } = services
  return {
    ...services,
    tables: {
      ...tables,
      insert: async table => {
        await jobs.refuseCancelled(id)
        return tables.insert(table)
      },
      replace: async table => {
        await jobs.refuseCancelled(id)
        return tables.replace(table)
      },
    },
  }
}
