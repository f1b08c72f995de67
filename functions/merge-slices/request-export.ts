import { z } from 'zod'
import { hexDigest } from '../lib/digests.ts'
import type { MergeSlicesEvent } from './event.ts'
import type { MergeSlicesServices } from './services.ts'
import type { WorkPlace } from './work-place.ts'

/** `request.json`: the requested columns, in this order. */
export const requestRecord = z.object({ columns: z.array(z.string()) })

export type RequestedExport = { outcome: 'exporting'; jobId: number } | { outcome: 'ready'; fileId: number }

/**
 * Starts the export of a table, or passes on the given file.
 *
 * The columns are stored first, and exactly these are exported. So the header fits the data even if a column is added
 * in between.
 */
export const requestExport = async (
  { storage }: MergeSlicesServices,
  { input, execution }: Extract<MergeSlicesEvent, { step: 'request' }>,
  work: WorkPlace,
): Promise<RequestedExport> => {
  if ('fileId' in input) return { outcome: 'ready', fileId: input.fileId }

  const known = await work.read('request.json', requestRecord)
  const columns = known?.columns ?? input.columns ?? (await storage.table(input.tableId)).columns
  if (!known) await work.write('request.json', { columns })
  const idempotencyKey = hexDigest(`export ${execution}`)
  const { tableId, gzip } = input
  const job = await storage.exportTable({ tableId, gzip, columns }, idempotencyKey)
  return { outcome: 'exporting', jobId: job.id }
}
