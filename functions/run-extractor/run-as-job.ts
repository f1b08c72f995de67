import { z } from 'zod'
import type { Answer, StepEvent } from '../lib/drive/step.ts'
import { foreignCodeOr } from '../lib/errors/codes.ts'
import { UserError } from '../lib/errors/errors.ts'
import { describeFailure } from '../lib/errors/machine-failure.ts'
import { parseEvent } from '../lib/errors/parse-event.ts'
import type { StorageClient } from '../lib/storage-client/storage-client.ts'
import { waitSecondsAt } from '../lib/storage-client/wait-seconds-at.ts'
import { runOfJob } from '../lib/wire/run-body.ts'
import { runIdOf, runInput } from './event.ts'
import type { RunLog } from './services.ts'

const asked = z.object({ jobId: z.int() })

/** Whether this execution is the run of its job. */
export const isOfJob = ({ execution, input }: Pick<StepEvent, 'execution' | 'input'>): boolean => {
  const { jobId } = runInput.safeParse(input).data ?? {}
  return jobId !== undefined && runIdOf(execution) === runOfJob(jobId)
}

interface RunAsJobServices {
  storageOf: (branchId: number | undefined) => Pick<StorageClient, 'runConfiguration' | 'job' | 'postEvent'>
  now: () => Date
  log: Pick<RunLog, 'warn'>
}

/**
 * An execution that a schedule or a person started, where each run is a job of the service: it asks for that job, waits for it, and ends as it
 * does. The job has the least rights of all that the input names.
 */
export const runAsJob = async (
  { input, execution, since, state, failure }: StepEvent,
  { storageOf, now, log }: RunAsJobServices,
): Promise<Answer> => {
  if (failure) return { next: 'failed', failure: describeFailure(failure), details: {} }
  const { authorTokenId, tokenIds = [], ...given } = parseEvent(runInput, input)
  const { componentId, configId, branchId, overlap, trigger } = given
  const storage = storageOf(branchId)
  const run = { componentId, configId, overlap, trigger }
  const bounds = authorTokenId === undefined ? tokenIds : [authorTokenId, ...tokenIds]
  try {
    const job =
      state === null
        ? await storage.runConfiguration({ ...run, tokenIds: bounds }, runIdOf(execution))
        : await storage.job(parseEvent(asked, state).jobId)
    if (job.status === 'success') return { next: 'done', output: job.results }
    if (job.status === 'error') {
      const code = foreignCodeOr(job.error.code, 'storage.jobFailed')
      return { next: 'failed', failure: { code, message: job.error.message }, details: { jobId: job.id } }
    }
    const waitSeconds = waitSecondsAt((now().getTime() - since.getTime()) / 1000)
    return { next: 'again', waitSeconds, waitsFor: [runOfJob(job.id)], state: { jobId: job.id } }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const { code, message } = error
    if (code === 'storage.runs.underWay') return { next: 'done', output: { status: 'skipped', message } }
    const place = { component: componentId, configurationId: configId }
    const refused = { ...place, type: 'error' as const, params: { trigger } }
    await storage
      .postEvent({ ...refused, message: `The run was not started: ${message}` }, `${runIdOf(execution)}-end`)
      .catch((reason: unknown) => log.warn('event not sent', { reason: String(reason) }))
    return { next: 'failed', failure: { code, message }, details: {} }
  }
}
