import { cleanUpMerge } from '../lib/distributed/clean-up-merge.ts'
import { UserError } from '../lib/errors/errors.ts'
import { defaultBranchId } from '../lib/storage/branches/branch-store.ts'
import { tableWarning } from '../lib/storage/events/table-warning.ts'
import type { MergeServices } from './services.ts'

interface RefusedCommit {
  jobId: number
  queryId: string
  tableId: string
  branchId: number | undefined
  why: string
  /** Where the commit lies, when that is known. */
  metadataLocation: string | undefined
}

/**
 * Leaves a commit where it lies, and removes the rest of its job. Resolves to the error of the job. The event comes first:
 * nobody else will know where the commit lies.
 */
export const refuseCommit = async (
  { jobId, queryId, tableId, branchId = defaultBranchId, why, metadataLocation }: RefusedCommit,
  services: MergeServices,
): Promise<UserError> => {
  const { events, nextId, now } = services
  const reason = why.replace(/\.$/, '')
  const message = `What Athena's query ${queryId} committed is not part of the table ${tableId}: ${reason}. The table is as it was.`
  const params = { jobId, queryId, metadataLocation: metadataLocation ?? null }
  await events.create(nextId, id => ({
    id,
    ...tableWarning('storage.tableCommitRefused', { tableId, message, params, at: now() }),
    branchId,
  }))
  await cleanUpMerge(jobId, services)
  return new UserError('storage.tables.distributed.commitRefused', message, { params })
}
