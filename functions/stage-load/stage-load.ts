import { cutFiles } from './cut-files.ts'
import type { StageLoadEvent } from './event.ts'
import { foldScans } from './fold-scans.ts'
import { openSlices } from './open-slices.ts'
import { scanGroup } from './scan-group.ts'
import type { StageLoadServices } from './services.ts'
import { stageGroup } from './stage-group.ts'
import { uncompressGroup } from './uncompress-group.ts'

/** The items of the step that comes next, side by side. */
interface NextItems {
  items: number[]
}

/**
 * Does one step. `open`, `cut` and `fold` answer with the items of `uncompress`, `scan` and `stage`. A load that cannot
 * be done has no items left, so that the machine comes to its end: `run-job`, which reports the refusal.
 */
export const stageLoad = async (event: StageLoadEvent, services: StageLoadServices): Promise<NextItems> => {
  const { load } = event
  switch (event.step) {
    case 'open':
      return itemsOf(await openSlices(load, services))
    case 'uncompress':
      await uncompressGroup(load, event.item, services)
      break
    case 'cut':
      return itemsOf(await cutFiles(load, services))
    case 'scan':
      await scanGroup(load, event.item, services)
      break
    case 'fold':
      return itemsOf(await foldScans(load, services))
    case 'stage':
      await stageGroup(load, event.item, services)
  }
  return { items: [] }
}

const itemsOf = (groups: readonly unknown[]): NextItems => ({ items: groups.map((_, index) => index) })
