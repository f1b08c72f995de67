import type { LoadPlace } from '../../functions/lib/distributed/load-place.ts'
import type { SplitWorkServices } from '../../functions/split-work/services.ts'
import { splitWork } from '../../functions/split-work/split-work.ts'

/** What the job machine does between the two runs of a job whose load outgrows one function. */
export const stageWholeLoad = async (load: LoadPlace, services: SplitWorkServices): Promise<void> => {
  const phases = [
    ['open', 'uncompress'],
    ['cut', 'scan'],
    ['fold', 'stage'],
  ] as const
  for (const [plan, each] of phases) {
    const { items } = await splitWork({ step: plan, load }, services)
    for (const item of items) await splitWork({ step: each, load, item }, services)
  }
}
