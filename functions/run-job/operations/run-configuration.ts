import { z } from 'zod'
import { foreignCode } from '../../lib/errors/codes.ts'
import { UserError } from '../../lib/errors/errors.ts'
import { patientWait } from '../../lib/patient-wait.ts'
import { ofBranch } from '../../lib/storage/db/branch-id.ts'
import { branchOf, type InputOf, type ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { jobCancelled } from '../../lib/storage/jobs/job-store.ts'
import type { RunJobServices } from '../job/services.ts'
import type { Outcome, Pending } from './outcome.ts'

const params = z.object({ version: z.number() })
const results = z.record(z.string(), z.unknown())

const SHORTEST_WAIT_SECONDS = 1
const LONGEST_WAIT_SECONDS = 30
/** Waiting a quarter of the age so far notices the end at most a quarter late. */
const SHARE_OF_AGE = 1 / 4

/**
 * Runs a component's configuration on the extract machine. The summary of the run becomes the job's results. This only
 * starts the machine and checks on it.
 *
 * Throws `UserError` with the run's own code and message when the run failed. Rows that were loaded stay loaded.
 */
export const runConfiguration = async (
  job: ProcessingJob,
  { operationName: _, ...asked }: InputOf<'configurationRun'>,
  { extractRuns, jobs, now }: Pick<RunJobServices, 'extractRuns' | 'jobs' | 'now'>,
): Promise<Outcome | Pending> => {
  const authorTokenId = job.creatorToken.id
  const { version: configVersion } = params.parse(job.operationParams)
  await extractRuns.start(job.id, {
    ...asked,
    authorTokenId,
    // A schedule has seen no version.
    ...(asked.trigger === undefined && { configVersion }),
    ...ofBranch(branchOf(job)),
  })
  // Whoever asked for its end before the run began found no run to stop, and while it loads nobody stops it.
  const current = await jobs.get(job.id)
  if (current?.status === 'processing' && current.cancelledBy !== undefined && !current.isLoading)
    await extractRuns.stop(job.id, jobCancelled(current.cancelledBy))
  const run = await extractRuns.describe(job.id)
  switch (run.status) {
    case 'running': {
      const ageSeconds = (now().getTime() - Date.parse(job.startTime)) / 1000
      const wanted = Math.floor(ageSeconds * SHARE_OF_AGE)
      const seconds = Math.min(LONGEST_WAIT_SECONDS, Math.max(SHORTEST_WAIT_SECONDS, wanted))
      return { waitSeconds: patientWait(seconds, ageSeconds), waitsFor: [run.execution] }
    }
    case 'success':
      return { results: results.parse(JSON.parse(run.output)) }
    case 'error':
      throw new UserError(foreignCode(run.code), run.message)
  }
}
