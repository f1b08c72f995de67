import type { LoadPlace } from '../../functions/lib/distributed/load-place.ts'
import { nextStage } from '../../functions/lib/distributed/load-stages.ts'
import { doPiece } from '../../functions/run-job/pieces/do-piece.ts'
import type { PieceServices } from '../../functions/run-job/pieces/piece.ts'

/** What the job machine does between the two runs of a job whose load outgrows one function. */
export const stageWholeLoad = async (load: LoadPlace, services: PieceServices): Promise<void> => {
  let next = await nextStage(load, undefined, services.documents)
  while (next) {
    const { stage, parts } = next
    for (const item of parts) await doPiece({ step: stage, load, item }, services)
    next = await nextStage(load, stage, services.documents)
  }
}
