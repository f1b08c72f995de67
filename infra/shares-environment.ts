/** How much of what is under way one token may have. */
export interface Shares {
  readonly runsPerToken: number
  readonly jobsPerToken: number
}

export const sharesEnvironment = ({ runsPerToken, jobsPerToken }: Shares) => ({
  RUNS_PER_TOKEN: String(runsPerToken),
  JOBS_PER_TOKEN: String(jobsPerToken),
})
