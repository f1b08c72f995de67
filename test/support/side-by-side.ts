import { doPiece } from '../../functions/run-job/pieces/do-piece.ts'
import type { PieceServices } from '../../functions/run-job/pieces/piece.ts'
import type { RunJobResult } from '../../functions/run-job/run-job.ts'
import { stageWholeLoad } from './stage-whole-load.ts'

export interface MachineServices {
  pieces: PieceServices
}

/** What the job machine does between two runs of a job that outgrows one function. Resolves to whether there was any. */
export const doSideBySide = async (
  jobId: number,
  result: RunJobResult,
  services: MachineServices,
): Promise<boolean> => {
  if (result.status === 'distribute') await stageWholeLoad(result.load, services.pieces)
  else if (result.status === 'export') await exportAllParts(jobId, result.parts, services.pieces)
  else return false
  return true
}

const exportAllParts = async (jobId: number, parts: number[], services: PieceServices): Promise<void> => {
  for (const item of parts) await doPiece({ step: 'part', jobId, item }, services)
}
