import { exportParts } from '../../functions/export-parts/export-parts.ts'
import type { ExportPartsServices } from '../../functions/export-parts/services.ts'
import type { RunJobResult } from '../../functions/run-job/run-job.ts'
import type { StageLoadServices } from '../../functions/stage-load/services.ts'
import { stageWholeLoad } from './stage-whole-load.ts'

export interface MachineServices {
  stageLoad: StageLoadServices
  exportParts: ExportPartsServices
}

/** What the job machine does between two runs of a job that outgrows one function. Resolves to whether there was any. */
export const doSideBySide = async (
  jobId: number,
  result: RunJobResult,
  services: MachineServices,
): Promise<boolean> => {
  if (result.status === 'distribute') await stageWholeLoad(result.load, services.stageLoad)
  else if (result.status === 'export') await exportAllParts(jobId, result.parts, services.exportParts)
  else return false
  return true
}

const exportAllParts = async (
  jobId: number,
  parts: number[],
  services: ExportPartsServices,
): Promise<void> => {
  for (const item of parts) await exportParts({ step: 'part', jobId, item }, services)
  const { items } = await exportParts({ step: 'order', jobId }, services)
  for (const item of items) await exportParts({ step: 'range', jobId, item }, services)
}
