import { exportPart, exportSortedRange, sortPart } from '../lib/distributed/export-part.ts'
import { refusalOf } from '../lib/distributed/refusal.ts'
import type { SplitWorkServices } from './services.ts'

interface Piece {
  jobId: number
  item: number
}

/** Exports a part of a table, or sorts its rows where an order is wanted. */
export const exportPiece = async (
  { jobId, item }: Piece,
  { exports, tableEngine, tablesBucket }: SplitWorkServices,
): Promise<void> => {
  const plan = await exports.read(jobId, 'plan')
  const engine = await tableEngine()
  const isSorted = plan.selection.orderBy.length > 0
  const work = isSorted
    ? sortPart({ jobId, plan, tablesBucket }, item, engine)
    : exportPart(plan, { item }, engine)
  await exports.write(jobId, 'part', await work.catch(error => ({ refusal: refusalOf(error) })), item)
}

/** Exports a range of the order, from all sorted parts. */
export const exportSorted = async (
  { jobId, item }: Piece,
  { exports, tableEngine }: SplitWorkServices,
): Promise<void> => {
  const plan = await exports.read(jobId, 'plan')
  const ranges = await exports.read(jobId, 'ranges')
  const exported = await exportSortedRange(plan, { ranges, item }, await tableEngine())
  await exports.write(jobId, 'range', exported, item)
}
