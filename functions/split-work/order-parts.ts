import pMap from 'p-map'
import { groupBytesFor, PARTS_OF_EXPORT } from '../lib/distributed/pack-groups.ts'
import { cutOrder } from '../lib/table-engine/sorted/cut-order.ts'
import type { SplitWorkServices } from './services.ts'

const READS = 16

/** Cuts the order over all sorted parts into ranges. Resolves to them: none for the table's own order. */
export const orderParts = async (
  jobId: number,
  { exports }: Pick<SplitWorkServices, 'exports'>,
): Promise<readonly unknown[]> => {
  const { parts, partBytes } = await exports.read(jobId, 'plan')
  const done = await pMap(parts, (_, item) => exports.read(jobId, 'part', item), { concurrency: READS })
  const isRefused = done.some(part => 'refusal' in part)
  const runs = isRefused ? [] : done.flatMap(part => ('run' in part && part.run ? [part.run] : []))
  const bytes = runs.reduce((sum, run) => sum + run.bytes, 0)
  const ranges = cutOrder(runs, groupBytesFor(bytes, partBytes, PARTS_OF_EXPORT))
  await exports.write(jobId, 'ranges', { runs, ranges })
  return ranges
}
