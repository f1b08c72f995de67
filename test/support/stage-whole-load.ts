import type { LoadPlace } from '../../functions/lib/distributed/load-place.ts'
import type { StageLoadServices } from '../../functions/stage-load/services.ts'
import { stageLoad } from '../../functions/stage-load/stage-load.ts'

/** What the job machine does between the two runs of a job whose load outgrows one function. */
export const stageWholeLoad = async (load: LoadPlace, services: StageLoadServices): Promise<void> => {
  const phases = [
    ['open', 'uncompress'],
    ['cut', 'scan'],
    ['fold', 'stage'],
  ] as const
  for (const [plan, each] of phases) {
    const { items } = await stageLoad({ step: plan, load }, services)
    for (const item of items) await stageLoad({ step: each, load, item }, services)
  }
}
