import * as z from 'zod/mini'
import type { Answer, StepEvent } from '../lib/drive/step.ts'
import type { MachineFailure } from '../lib/errors/machine-failure.ts'
import { parseEvent } from '../lib/errors/parse-event.ts'
import { TABLE_EXISTS_CODE } from '../lib/storage-client/table-exists-code.ts'
import { landedObject, partsToMove, type StartImportEvent } from './event.ts'
import type { StartImportResult } from './start-import-result.ts'

interface StepServices {
  /** Does the work of the hook. */
  start: (event: StartImportEvent) => Promise<StartImportResult>
  log: { warn(message: string, extra: Record<string, unknown>): void }
}

/** An import whose dead letters are to be closed when its job has succeeded. `tries`: it has, and so often this was tried. */
const closing = z.nullable(
  z.object({ output: z.looseObject({ jobId: z.number() }), tries: z.optional(z.number()) }),
)

/**
 * One step of an import: the object becomes a file and a job -> the end of the job -> done. Resolves to nothing for a part of an
 * object that several functions move.
 */
export const importStep = async (
  { input, execution, since, state, job, part, failure }: StepEvent,
  { start, log }: StepServices,
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
  const close = parseEvent(closing, state)
  const ended = close && job?.status === 'success' ? { ...close.output, ...job } : undefined
  if (failure) {
    // The file is in its table: a letter that stays open fails nothing.
    if (close && (ended || close.tries !== undefined)) return { next: 'done', output: ended ?? close.output }
    return giveUp(jobFailure ?? failure)
  }
  if (part !== undefined) {
    await start({ ...asked, move: parseEvent(partsToMove, part) })
    return undefined
  }
  if (close?.tries !== undefined) return closeLetters(close.output, close.tries, { asked, start, log })
  if (ended) return { next: 'again', waitSeconds: 0, state: { output: ended, tries: 0 } }
  if (jobFailure) return giveUp(jobFailure)
  return answerOf(await start(asked))
}

const answerOf = (result: StartImportResult): Answer => {
  switch (result.outcome) {
    case 'started':
    case 'alreadyStarted': {
      const { tableId, fileId, jobId, reloadedVersions, waitSeconds, waitsFor, closesLetters } = result
      const output = { tableId, fileId, jobId, reloadedVersions }
      const waits = { next: 'poll' as const, jobId, waitSeconds, waitsFor }
      return closesLetters === undefined ? { ...waits, output } : { ...waits, state: { output } }
    }
    case 'busy':
      return { next: 'again', waitSeconds: result.waitSeconds, waitsFor: result.waitsFor }
    case 'moving':
      return { next: 'each', parts: result.ranges }
    default:
      return { next: 'done', output: result }
  }
}

const MOST_TRIES = 6

const closeLetters = async (
  output: { jobId: number },
  tries: number,
  { asked, start, log }: StepServices & { asked: StartImportEvent },
): Promise<Answer> => {
  try {
    await start({ ...asked, importedBy: output.jobId })
  } catch (error) {
    log.warn('letters not closed', { reason: String(error), tries })
    if (tries < MOST_TRIES)
      return { next: 'again', waitSeconds: 2 ** tries, state: { output, tries: tries + 1 } }
  }
  return { next: 'done', output }
}
