import { UserError } from '../../functions/lib/errors/errors.ts'
import { sendCodeInStack } from '../../functions/lib/errors/machine-failure.ts'
import { mergeByQuery } from '../../functions/merge-by-query/merge-by-query.ts'
import type { MergeServices } from '../../functions/merge-by-query/services.ts'
import type { RunJobEvent } from '../../functions/run-job/event.ts'
import { asFunction } from './guard-writes.ts'

export interface WholeMerge extends MergeServices {
  /** When no query runs. */
  settled: () => Promise<void>
}

/**
 * What the job machine does when a job is merged by Athena. Resolves to what it closes the job with, when a step says that
 * the user has to do something.
 */
export const mergeWholeLoad = async (
  jobId: number,
  services: WholeMerge,
): Promise<RunJobEvent['refusal']> => {
  try {
    const started = await asFunction('merge-by-query', () => mergeByQuery({ step: 'start', jobId }, services))
    if (!('queryId' in started)) return undefined
    await services.settled()
    const { queryId } = started
    await asFunction('merge-by-query', () => mergeByQuery({ step: 'check', jobId, queryId }, services))
    await asFunction('merge-by-query', () => mergeByQuery({ step: 'adopt', jobId, queryId }, services))
    return undefined
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    sendCodeInStack(error)
    const trace = (error.stack ?? '').split('\n')
    return { Error: error.name, Cause: JSON.stringify({ errorMessage: error.message, trace }) }
  }
}
