import { z } from 'zod'
import type { LoadDocuments } from '../lib/distributed/load-documents.ts'
import type { LoadPlace } from '../lib/distributed/load-place.ts'
import { type LoadStage, nextStage, piecesState } from '../lib/distributed/load-stages.ts'
import type { Answer, StepEvent } from '../lib/drive/step.ts'
import { parseEvent } from '../lib/errors/parse-event.ts'
import type { RunJobEvent } from './event.ts'
import { jobOfInput, type Piece, pieceOf } from './pieces/piece.ts'
import type { RunJobResult } from './run-job.ts'

const failure = z.object({ Error: z.string(), Cause: z.string().optional() })

/** Input of the job machine. `failure`: its execution before this one is gone, and the job is only closed. */
export const jobInput = jobOfInput.extend({ failure: failure.optional() })

interface StepServices {
  run: (event: RunJobEvent) => Promise<RunJobResult>
  documents: Pick<LoadDocuments, 'read'>
  doPiece: (piece: Piece) => Promise<void>
}

/**
 * One step of a job: does it, waits for others of its table, or has the pieces done of a load or an export that outgrows one
 * function. When a step has failed for good the job is closed: as `error`, unless its work is done.
 */
export const jobStep = async (
  { input, state, part, failure: failed }: StepEvent,
  { run, documents, doPiece }: StepServices,
): Promise<Answer | undefined> => {
  const { jobId, failure: gone } = parseEvent(jobInput, input)
  if (failed) {
    const closed = await run({ jobId, failure: failed })
    return closed.status === 'done' && closed.failure ? { next: 'failed', failure: closed.failure } : DONE
  }
  if (part !== undefined) {
    await doPiece(pieceOf({ input, state, part }))
    return undefined
  }
  const pieces = parseEvent(piecesState, state)
  if (pieces && 'load' in pieces) {
    const next = await stageOf(pieces.load, pieces.stage, documents)
    if (next) return next
  }

  const result = await run({ jobId, failure: gone })
  switch (result.status) {
    case 'done':
      return { ...DONE, alsoEnded: result.alsoEnded }
    case 'blocked':
      return { next: 'again', waitSeconds: result.waitSeconds, waitsFor: result.waitsFor }
    case 'distribute':
      return (await stageOf(result.load, undefined, documents)) ?? { next: 'again', waitSeconds: 0 }
    case 'export':
      return {
        next: 'each',
        parts: result.parts,
        state: { exports: true, correlationId: result.correlationId },
      }
  }
}

const DONE = { next: 'done' as const, output: {} }

const stageOf = async (
  load: LoadPlace,
  after: LoadStage | undefined,
  documents: Pick<LoadDocuments, 'read'>,
): Promise<Answer | undefined> => {
  const next = await nextStage(load, after, documents)
  return next && { next: 'each', parts: next.parts, state: { load, stage: next.stage } }
}
