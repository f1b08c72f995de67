import { windowsOf } from '../config/incremental-schema.ts'
import type { Job } from '../config/job-schema.ts'
import type { ExtractorConfig } from '../config/parse-config.ts'

/**
 * Data types whose rows all come from jobs with windows, or from children of such jobs. Their tables are loaded by key, so a part of
 * their rows may be loaded; other tables may be replaced.
 */
export const typesWithWindows = ({ runs }: ExtractorConfig): ReadonlySet<string> => {
  const windowed = new Set<string>()
  const others = new Set<string>()
  const visit = (jobs: readonly Job[], isBelow: boolean): void => {
    for (const job of jobs) {
      const isWindowed = isBelow || windowsOf(job) !== undefined
      const into = isWindowed ? windowed : others
      into.add(job.dataType || job.endpoint)
      visit(job.children ?? [], isWindowed)
    }
  }
  for (const { config } of runs) visit(config.jobs, false)
  return windowed.difference(others)
}
