import { z } from 'zod'
import type { LoadPlace } from '../lib/distributed/load-place.ts'
import { type LoadStage, piecesState } from '../lib/distributed/load-stages.ts'
import type { StepEvent } from '../lib/drive/step.ts'
import { parseEvent } from '../lib/errors/parse-event.ts'

/** A piece of a load or of an export that outgrows one function. Each may be done again, and writes the same. */
export type SplitWorkEvent =
  | { step: LoadStage; load: LoadPlace; item: number }
  | { step: 'part'; jobId: number; correlationId?: string; item: number }

const jobOfInput = z.object({ jobId: z.int().positive() })

/** The piece that the job machine asks for. */
export const pieceOf = ({ input, state, part }: StepEvent): SplitWorkEvent => {
  const pieces = parseEvent(piecesState, state)
  const item = parseEvent(z.int().nonnegative(), part)
  if (pieces && 'load' in pieces) return { step: pieces.stage, load: pieces.load, item }
  const { jobId } = parseEvent(jobOfInput, input)
  return { step: 'part', jobId, item, ...(pieces && { correlationId: pieces.correlationId }) }
}
