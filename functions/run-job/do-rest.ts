import type { JobRecord } from '../lib/storage/jobs/job-record.ts'
import { metadataSubject } from '../lib/storage/metadata/metadata-store.ts'
import type { RunJobServices } from './job/services.ts'
import { describeTable } from './operations/alter-columns.ts'
import { endTogether } from './operations/shared-load.ts'

/**
 * Does what a job that has ended has left to do, while nobody else works on its table, and then gives the table back. May be repeated by whoever
 * comes next. Resolves to the jobs that it ended.
 */
export const doRest = async (job: JobRecord, services: RunJobServices): Promise<number[]> => {
  const { queue, jobs, metadata } = services
  const { input, queueTableId } = job
  const lease = queueTableId === null ? undefined : await queue.lease(queueTableId)
  if (lease?.owner !== job.id || !lease.rest) return []
  const { together, internalId } = lease.rest
  const ended = together === undefined ? [] : await endTogether(together, services)
  const table = { internalId }
  if (input.operationName === 'tableColumnDelete')
    await metadata.clear(metadataSubject.table(table), input.name)
  if (input.operationName === 'tableDefinitionUpdate') await describeTable(input, table, services)
  await jobs.settle(job)
  return ended
}
