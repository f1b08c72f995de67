import { TransientError } from '../lib/errors/errors.ts'
import { type DecidedJob, type FinalJob, isFinal } from '../lib/storage/jobs/job-record.ts'
import { metadataSubject } from '../lib/storage/metadata/metadata-store.ts'
import type { RunJobServices } from './job/services.ts'
import { describeTable } from './operations/alter-columns.ts'
import { endTogether } from './operations/shared-load.ts'

/**
 * Does what is left of a job whose work is decided, and then ends it: whoever reads that it has ended sees all of it. May be repeated by
 * whoever comes next, also while another one does it. Resolves to the job, and to those that it ended beside it.
 */
export const endDecided = async (
  job: DecidedJob,
  services: RunJobServices,
): Promise<{ ended: FinalJob; alongside: number[] }> => {
  const { jobs, metadata, now } = services
  const { input, decided } = job
  const { together, internalId = 0 } = decided.rest
  const alongside = together === undefined ? [] : await endTogether(together, services)
  const table = { internalId }
  if (input.operationName === 'tableColumnDelete')
    await metadata.clear(metadataSubject.table(table), input.name)
  if (input.operationName === 'tableDefinitionUpdate') await describeTable(input, table, services)
  if (input.operationName === 'tableSnapshotDelete')
    await metadata.clear(metadataSubject.snapshot({ id: input.snapshotId }))
  const ended = await jobs.succeed(job, { at: now(), outcome: decided })
  if (typeof ended === 'string' || !isFinal(ended))
    throw new TransientError('storage.tables.moved', `The job ${job.id} was changed while it ended.`)
  return { ended, alongside }
}
