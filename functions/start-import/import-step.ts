import * as z from 'zod/mini'
import type { Answer, StepEvent } from '../lib/drive/step.ts'
import type { MachineFailure } from '../lib/errors/machine-failure.ts'
import { parseEvent } from '../lib/errors/parse-event.ts'
import { TABLE_EXISTS_CODE } from '../lib/storage-client/table-exists-code.ts'
import { landedObject, partsToMove, type StartImportEvent } from './event.ts'
import type { StartImportResult } from './start-import-result.ts'

type Log = { warn(message: string, extra: Record<string, unknown>): void }

/** An import whose dead letters are to be closed when its job has succeeded. */
const closing = z.nullable(
  z.object({
    output: z.object({
      tableId: z.string(),
      fileId: z.number(),
      jobId: z.number(),
      reloadedVersions: z.number(),
    }),
    tries: z.number(),
  }),
)

/**
 * One step of an import: the object becomes a file and a job -> the end of the job -> done. Resolves to nothing for a part of an
 * object that several functions move.
 *
 * @param start does the work of the hook
 */
export const importStep = async (
  { input, execution, since, state, job, part, failure }: StepEvent,
  { start, log }: { start: (event: StartImportEvent) => Promise<StartImportResult>; log: Log },
): Promise<Answer | undefined> => {
  const asked = { event: parseEvent(landedObject, input), execution, since }
  const giveUp = async (error: MachineFailure): Promise<Answer> => {
    const released = await start({ ...asked, failure: error })
    if (released.outcome !== 'released') return { next: 'done', output: released }
    return { next: 'failed', failure: released.failure, details: released.details }
  }
  if (failure) return giveUp(failure)
  if (part !== undefined) {
    await start({ ...asked, move: parseEvent(partsToMove, part) })
    return undefined
  }
  // Two files for one new table landed together, and the other created it first: this one is imported into that table.
  if (job?.status === 'error' && job.error.code !== TABLE_EXISTS_CODE)
    return giveUp({ Error: job.error.code, Cause: job.error.message })
  const close = parseEvent(closing, state)
  if (close && job?.status !== 'error')
    return closeLetters({ ...close, done: job ? { ...close.output, ...job } : close.output }, asked, {
      start,
      log,
    })

  return answerOf(await start(asked))
}

const answerOf = (result: StartImportResult): Answer => {
  switch (result.outcome) {
    case 'started':
    case 'alreadyStarted': {
      const { tableId, fileId, jobId, reloadedVersions, waitSeconds, waitsFor, closesLetters } = result
      const output = { tableId, fileId, jobId, reloadedVersions }
      const waits = { next: 'poll' as const, jobId, waitSeconds, waitsFor }
      return closesLetters === undefined ? { ...waits, output } : { ...waits, state: { output, tries: 0 } }
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

/** The file is in its table: a letter that stays open fails nothing. */
const closeLetters = async (
  { output, tries, done }: { output: { jobId: number }; tries: number; done: object },
  asked: StartImportEvent,
  { start, log }: { start: (event: StartImportEvent) => Promise<StartImportResult>; log: Log },
): Promise<Answer> => {
  try {
    await start({ ...asked, importedBy: output.jobId })
  } catch (error) {
    log.warn('letters not closed', { reason: String(error), tries })
    if (tries < MOST_TRIES)
      return { next: 'again', waitSeconds: 2 ** tries, state: { output: done, tries: tries + 1 } }
  }
  return { next: 'done', output: done }
}
