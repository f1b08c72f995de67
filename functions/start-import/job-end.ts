import { UserError } from '../lib/errors/errors.ts'
import { isTableMadeMeanwhile } from '../lib/storage-client/load-into-table.ts'
import type { StorageClient } from '../lib/storage-client/storage-client.ts'
import type { Progress } from './key-records.ts'

type JobEnd =
  | 'running'
  | 'success'
  | 'error'
  /** It was to create a table that another job had created: the version is to be imported into that one. */
  | 'tableExists'

export const jobEnd = async (storage: StorageClient, jobId: number): Promise<JobEnd> => {
  const job = await storage.job(jobId).catch((error: unknown) => {
    if (error instanceof UserError && error.status === 404) return undefined
    throw error
  })
  // A service may forget its jobs after a while: this one was accepted long ago.
  if (!job || job.status === 'success') return 'success'
  if (job.status !== 'error') return 'running'
  return isTableMadeMeanwhile(job) ? 'tableExists' : 'error'
}

/** Asked for once more after its failure was reported; or its job was to create a table that exists meanwhile. */
export const isWantedAgain = async (
  { storage }: { storage: StorageClient },
  { jobId, isCreating, isFailureReported }: Progress,
): Promise<boolean> => {
  if (jobId === undefined || !(isFailureReported || isCreating)) return false
  const end = await jobEnd(storage, jobId)
  return end === 'tableExists' || (end === 'error' && isFailureReported)
}
