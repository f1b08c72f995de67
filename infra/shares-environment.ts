import type { ShareLimits } from '../functions/lib/storage/jobs/job-shares.ts'
import type { Quotas } from '../functions/lib/storage/quotas/quotas.ts'

/** How much of what is under way one token and the project may have, and how much of what is kept the project. */
export interface Shares extends Quotas, ShareLimits {}

export const sharesEnvironment = ({
  runsPerToken,
  jobsPerToken,
  runsPerProject,
  jobsPerProject,
}: ShareLimits) => ({
  SHARES: JSON.stringify({ runsPerToken, jobsPerToken, runsPerProject, jobsPerProject }),
})

export const quotasEnvironment = (quotas: Quotas) => {
  const { filesPerDay, fileBytesPerDay, eventsPerDay } = quotas
  const { tablesPerBucket, configurationsPerComponent, snapshotsPerTable } = quotas
  const kept = { tablesPerBucket, configurationsPerComponent, snapshotsPerTable }
  return { QUOTAS: JSON.stringify({ filesPerDay, fileBytesPerDay, eventsPerDay, ...kept }) }
}
