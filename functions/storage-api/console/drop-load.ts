import { z } from 'zod'
import { loadIntoTable } from '../../lib/storage-client/load-into-table.ts'
import type { StorageClient } from '../../lib/storage-client/storage-client.ts'
import { jobBody } from '../../lib/wire/job-body.ts'
import { replacedRowsOfJob, rowsOfJob, rowsText, tableOfJob } from '../../lib/wire/job-results.ts'
import { type ApiClient, path } from './api-client.ts'
import type { LoadStarted, LoadState, loadRequest } from './drop-wire.ts'

/** Starts the load of a file that a browser has sent. */
export const startLoad = async (
  storage: StorageClient,
  { fileId, ...load }: z.output<typeof loadRequest>,
): Promise<LoadStarted> => {
  const options = { idempotencyKey: `console-${fileId}`, checksKeyFirst: true }
  const { job, warnings } = await loadIntoTable(storage, { ...load, dataFileId: fileId }, options)
  return { jobId: job.id, warnings }
}

/** What a page that waits for a load says of it. */
export const loadState = async (client: ApiClient, jobId: string): Promise<LoadState> => {
  const job = await client.get(path`jobs/${jobId}`, jobBody)
  const tableId = tableOfJob(job) ?? ''
  if (job.status === 'error') {
    return { status: job.status, tableId, sentence: job.error?.message ?? 'It was not loaded.' }
  }
  const rows = rowsOfJob(job)
  return {
    status: job.status,
    tableId,
    ...(job.progress && { sentence: `${rowsText(job.progress.rows, 0)} so far` }),
    ...(job.status === 'success' && {
      sentence: rows === undefined ? 'loaded' : rowsText(rows, replacedRowsOfJob(job)),
      warnings: warningsOf(job.results),
    }),
  }
}

const warningsOf = (results: unknown): string[] =>
  z.object({ warnings: z.array(z.string()) }).safeParse(results).data?.warnings ?? []
