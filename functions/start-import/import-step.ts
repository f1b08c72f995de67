import type { Answer, StepEvent } from '../lib/drive/step.ts'
import type { MachineFailure } from '../lib/errors/machine-failure.ts'
import { parseEvent } from '../lib/errors/parse-event.ts'
import { landedObject } from '../lib/landed-object.ts'
import { TABLE_EXISTS_CODE } from '../lib/storage-client/table-exists-code.ts'
import { partsToMove, type StartImportEvent } from './event.ts'
import type { StartImportResult } from './start-import-result.ts'

interface StepServices {
  /** Does the work of the hook. */
  start: (event: StartImportEvent) => Promise<StartImportResult>
}

/**
 * One step of an import: the object becomes a file and a job, whose success ends the import. Resolves to nothing for a part of an
 * object that several functions move.
 */
export const importStep = async (
  { input, execution, since, job, part, failure }: StepEvent,
  { start }: StepServices,
): Promise<Answer | undefined> => {
  const asked = { event: parseEvent(landedObject, input), execution, since }
  const giveUp = async (error: MachineFailure): Promise<Answer> => {
    const released = await start({ ...asked, failure: error })
    if (released.outcome !== 'released') return { next: 'done', output: released }
    return { next: 'failed', failure: released.failure, details: released.details }
  }
  // Two files for one new table landed together, and the other created it first: this one is imported into that table.
  const jobFailure =
    job?.status === 'error' && job.error.code !== TABLE_EXISTS_CODE
      ? { Error: job.error.code, Cause: job.error.message }
      : undefined
  if (failure) return giveUp(jobFailure ?? failure)
  if (part !== undefined) {
    await start({ ...asked, move: parseEvent(partsToMove, part) })
    return undefined
  }
  if (jobFailure) return giveUp(jobFailure)
  return answerOf(await start(asked))
}

const answerOf = (result: StartImportResult): Answer => {
  switch (result.outcome) {
    case 'started':
    case 'alreadyStarted': {
      const { tableId, fileId, jobId, reloadedVersions, waitSeconds, waitsFor, mends } = result
      const output = { tableId, fileId, jobId, reloadedVersions, mends }
      return { next: 'poll', jobId, waitSeconds, waitsFor, output }
    }
    case 'busy':
      return { next: 'again', waitSeconds: result.waitSeconds, waitsFor: result.waitsFor }
    case 'moving':
      return { next: 'each', parts: result.ranges }
    default:
      return { next: 'done', output: result }
  }
}
