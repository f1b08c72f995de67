import type { RunJobResult } from '../../functions/run-job/run-job.ts'
import type { SplitWorkServices } from '../../functions/split-work/services.ts'
import { splitWork } from '../../functions/split-work/split-work.ts'
import { stageWholeLoad } from './stage-whole-load.ts'

export interface MachineServices {
  splitWork: SplitWorkServices
}

/** What the job machine does between two runs of a job that outgrows one function. Resolves to whether there was any. */
export const doSideBySide = async (
  jobId: number,
  result: RunJobResult,
  services: MachineServices,
): Promise<boolean> => {
  if (result.status === 'distribute') await stageWholeLoad(result.load, services.splitWork)
  else if (result.status === 'export') await exportAllParts(jobId, result.parts, services.splitWork)
  else return false
  return true
}

const exportAllParts = async (jobId: number, parts: number[], services: SplitWorkServices): Promise<void> => {
  for (const item of parts) await splitWork({ step: 'part', jobId, item }, services)
}
