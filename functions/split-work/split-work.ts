import { cutFiles } from './cut-files.ts'
import type { SplitWorkEvent } from './event.ts'
import { exportPiece, exportSorted } from './export-pieces.ts'
import { foldScans } from './fold-scans.ts'
import { openSlices } from './open-slices.ts'
import { orderParts } from './order-parts.ts'
import { scanGroup } from './scan-group.ts'
import type { SplitWorkServices } from './services.ts'
import { stageGroup } from './stage-group.ts'
import { uncompressGroup } from './uncompress-group.ts'

/** The items of the step that comes next, side by side. */
interface NextItems {
  items: number[]
}

/**
 * Does one step. Of a load `open`, `cut` and `fold` answer with the items of `uncompress`, `scan` and `stage`, of an export
 * `order` with those of `range`. Work that cannot be done has no items left, so that the machine comes to its end:
 * `run-job`, which reports the refusal.
 */
export const splitWork = async (event: SplitWorkEvent, services: SplitWorkServices): Promise<NextItems> => {
  switch (event.step) {
    case 'open':
      return itemsOf(await openSlices(event.load, services))
    case 'uncompress':
      await uncompressGroup(event.load, event.item, services)
      break
    case 'cut':
      return itemsOf(await cutFiles(event.load, services))
    case 'scan':
      await scanGroup(event.load, event.item, services)
      break
    case 'fold':
      return itemsOf(await foldScans(event.load, services))
    case 'stage':
      await stageGroup(event.load, event.item, services)
      break
    case 'part':
      await exportPiece(event, services)
      break
    case 'order':
      return itemsOf(await orderParts(event.jobId, services))
    case 'range':
      await exportSorted(event, services)
  }
  return { items: [] }
}

const itemsOf = (groups: readonly unknown[]): NextItems => ({ items: groups.map((_, index) => index) })
