import { exportPart, exportSortedRange, sortPart } from '../lib/distributed/export-part.ts'
import { refusalOf } from '../lib/distributed/refusal.ts'
import type { ExportPartsEvent } from './event.ts'
import { orderParts } from './order-parts.ts'
import type { ExportPartsServices } from './services.ts'

/**
 * Does one step. `order` answers with the items of `range`. An export that cannot be done as requested has none, so that
 * the machine comes to its end: `run-job`, which reports the refusal.
 */
export const exportParts = async (
  event: ExportPartsEvent,
  services: ExportPartsServices,
): Promise<{ items: number[] }> => {
  switch (event.step) {
    case 'part':
      await writePart(event, services)
      return { items: [] }
    case 'order':
      return { items: await orderParts(event.jobId, services) }
    case 'range':
      await writeRange(event, services)
      return { items: [] }
  }
}

interface Step {
  jobId: number
  item: number
}

const writePart = async (
  { jobId, item }: Step,
  { documents, tableEngine, tablesBucket }: ExportPartsServices,
): Promise<void> => {
  const plan = await documents.read(jobId, 'plan')
  const engine = await tableEngine()
  const isSorted = plan.selection.orderBy.length > 0
  const work = isSorted
    ? sortPart({ jobId, plan, tablesBucket }, item, engine)
    : exportPart(plan, { item }, engine)
  await documents.write(jobId, 'part', await work.catch(error => ({ refusal: refusalOf(error) })), item)
}

const writeRange = async (
  { jobId, item }: Step,
  { documents, tableEngine }: ExportPartsServices,
): Promise<void> => {
  const plan = await documents.read(jobId, 'plan')
  const ranges = await documents.read(jobId, 'ranges')
  const exported = await exportSortedRange(plan, { ranges, item }, await tableEngine())
  await documents.write(jobId, 'range', exported, item)
}
