import type { StorageClient } from '../lib/storage-client/storage-client.ts'
import { jobEnd } from './job-end.ts'
import type { Progress } from './progress.ts'

/** Asked for once more after its failure was reported; or its job was to create a table that exists meanwhile. */
export const isWantedAgain = async (
  { storage }: { storage: StorageClient },
  { jobId, isCreating, isFailureReported }: Progress,
): Promise<boolean> => {
  if (jobId === undefined || !(isFailureReported || isCreating)) return false
  const end = await jobEnd(storage, jobId)
  return end === 'tableExists' || (end === 'error' && isFailureReported)
}
