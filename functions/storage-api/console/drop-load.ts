import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { loadIntoTable } from '../../lib/storage-client/load-into-table.ts'
import type { StorageClient } from '../../lib/storage-client/storage-client.ts'
import { jobBody } from '../../lib/wire/job-body.ts'
import { replacedRowsOfJob, rowsOfJob, rowsText, tableOfJob } from '../../lib/wire/job-results.ts'
import { type ApiClient, path, Refusal } from './api-client.ts'
import type { LoadStarted, LoadState, loadRequest } from './drop-wire.ts'

/** Starts the load of a file that a browser has sent. */
export const startLoad = async (
  storage: StorageClient,
  { fileId, types, ...load }: z.output<typeof loadRequest>,
): Promise<LoadStarted> => {
  const { tableId, primaryKey } = load
  const warnings: string[] = []
  if (types !== undefined) {
    if (await storage.hasTable(tableId))
      warnings.push('The table was there already: its types stay as they are.')
    else await define(storage, { tableId, primaryKey, types, key: `console-types-${fileId}` })
  }
  const wanted = { ...load, dataFileId: fileId }
  const options = { idempotencyKey: `console-${fileId}`, checksKeyFirst: true }
  const started = await loadIntoTable(storage, wanted, options)
  return { jobId: started.job.id, warnings: [...warnings, ...started.warnings] }
}

/** Longer than any table takes to be made, and within what a request has. */
const LOOKS = 40
const LOOK_MS = 250

const define = async (
  storage: StorageClient,
  {
    tableId,
    primaryKey,
    types,
    key,
  }: { tableId: string; primaryKey: string[]; types: { name: string; type: string }[]; key: string },
): Promise<void> => {
  const at = tableId.lastIndexOf('.')
  const bucketId = tableId.slice(0, at)
  if (!(await storage.hasBucket(bucketId))) await storage.createBucket(bucketId)
  const columns = types.map(({ name, type }) => ({ name, type: { basetype: type } }))
  let job = await storage.defineTable({ bucketId, name: tableId.slice(at + 1), primaryKey, columns }, key)
  for (let look = 0; look < LOOKS && job.status !== 'success'; look++) {
    if (job.status === 'error') throw new Refusal(400, job.error.message)
    await sleep(LOOK_MS)
    job = await storage.job(job.id)
  }
}

const place = z.object({ line: z.number().optional().catch(undefined) })

/** What a page that waits for a load says of it. */
export const loadState = async (client: ApiClient, jobId: string): Promise<LoadState> => {
  const job = await client.get(path`jobs/${jobId}`, jobBody)
  const tableId = tableOfJob(job) ?? ''
  if (job.status === 'error') {
    const { message = 'It was not loaded.', contextParams } = job.error ?? {}
    return { status: job.status, tableId, sentence: message, line: place.safeParse(contextParams).data?.line }
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
