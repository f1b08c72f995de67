import type { Quotas } from '../functions/lib/storage/quotas/quotas.ts'

/** How much of what is under way one token may have, and how much of what is kept the project. */
export interface Shares extends Quotas {
  readonly runsPerToken: number
  readonly jobsPerToken: number
}

export const sharesEnvironment = ({ runsPerToken, jobsPerToken }: Shares) => ({
  RUNS_PER_TOKEN: String(runsPerToken),
  JOBS_PER_TOKEN: String(jobsPerToken),
})

export const quotasEnvironment = (quotas: Quotas) => {
  const { filesPerDay, fileBytesPerDay, eventsPerDay, tablesPerBucket, configurationsPerComponent } = quotas
  const named = { filesPerDay, fileBytesPerDay, eventsPerDay, tablesPerBucket, configurationsPerComponent }
  return { QUOTAS: JSON.stringify(named) }
}
