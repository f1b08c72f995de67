import { z } from 'zod'
import { hexDigest } from '../lib/digests.ts'
import type { ExportInput } from './event.ts'
import type { MergeSlicesServices } from './services.ts'
import type { WorkPlace } from './work-place.ts'

/** `request.json`: the requested columns, in this order. */
export const requestRecord = z.object({ columns: z.array(z.string()) })

/**
 * Starts the export of a table. Resolves to its job.
 *
 * The columns are stored first, and exactly these are exported. So the header fits the data even if a column is added
 * in between.
 */
export const requestExport = async (
  { storage }: MergeSlicesServices,
  { input, execution }: { input: Extract<ExportInput, { tableId: string }>; execution: string },
  work: WorkPlace,
): Promise<number> => {
  const known = await work.read('request.json', requestRecord)
  const columns = known?.columns ?? input.columns ?? (await storage.table(input.tableId)).columns
  if (!known) await work.write('request.json', { columns })
  const idempotencyKey = hexDigest(`export ${execution}`)
  const { tableId, gzip } = input
  const job = await storage.exportTable({ tableId, gzip, columns }, idempotencyKey)
  return job.id
}
