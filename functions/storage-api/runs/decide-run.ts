import { UserError } from '../../lib/errors/errors.ts'
import type { Decision } from '../../lib/extractor/decision-name.ts'
import { findBranchId } from '../branches/find-branch.ts'
import { findConfiguration } from '../configurations/find-configuration.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { findRun, isHeldRun } from './read-runs.ts'

/**
 * Loads the tables that a run holds back because its data have changed, or drops them, by a job `configurationRun`. It may do
 * what the authors of the run and its caller may, and goes to the branch of the run, whatever branch the path names. Of two decisions about a run the first
 * counts.
 */
const decideRun = (decision: Decision, summary: string) =>
  defineRoute({
    method: 'post',
    path: `/v2/storage/runs/{runId}/${decision}`,
    summary,
    tag: 'runs',
    replies: {
      202: 'The job `configurationRun`',
      400: '`storage.runs.notHeld`',
      403: 'The token may not use the component',
      404: 'There is no such run or configuration, or its branch is deleted',
      409: '`storage.runs.decided`',
    },
    handle: async (request, services) => {
      const run = await findRun(request.params.runId, request.caller, services.extractionRuns)
      const { componentId, configId } = run
      const branchId = await findBranchId(services, String(run.branchId))
      const ofBranch = { ...services, ...services.inBranch(branchId) }
      return submitJob({ ...request, branchId }, ofBranch, {
        input: { operationName: 'configurationRun', componentId, configId, decides: run.id, decision },
        admit: async () => {
          if (!isHeldRun(run))
            throw new UserError('storage.runs.notHeld', `Run ${run.id} holds no tables back for approval.`)
          if (run.decision !== null)
            throw new UserError(
              'storage.runs.decided',
              `About run ${run.id} was decided before: ${run.decision.decision}, by run ${run.decision.runId}.`,
            )
          const { current } = await findConfiguration(
            { params: { componentId, configId }, branchId },
            ofBranch,
          )
          return { componentId, configId, version: current.version }
        },
      })
    },
  })

export const approveRun = decideRun('approve', 'Load what a run holds back')
export const rejectRun = decideRun('reject', 'Drop what a run holds back')
