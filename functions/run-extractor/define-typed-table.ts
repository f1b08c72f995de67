import { foreignCodeOr } from '../lib/errors/codes.ts'
import { UserError } from '../lib/errors/errors.ts'
import { parseTableId } from '../lib/storage/storage-ids.ts'
import { isTableMadeMeanwhile } from '../lib/storage-client/load-into-table.ts'
import type { Job, StorageClient } from '../lib/storage-client/storage-client.ts'
import { TABLE_EXISTS_CODE } from '../lib/storage-client/table-exists-code.ts'
import type { OutputTable } from './run.ts'

/** Ready to be loaded, or the job to wait for. */
type Definition = { isReady: true } | { isReady: false; jobId: number }

/**
 * Makes the table of an output whose columns have types, unless it exists: then it keeps the types that it has. May be repeated:
 * our own service finds the job by its key, a hosted one says that the table exists.
 */
export const defineTypedTable = async (
  output: OutputTable,
  idempotencyKey: string,
  storage: StorageClient,
): Promise<Definition> => {
  const { columnTypes, definitionJobId } = output
  if (columnTypes === undefined) return { isReady: true }
  const job =
    definitionJobId === undefined
      ? await begin(output, idempotencyKey, storage)
      : await storage.job(definitionJobId)
  if (job === undefined || job.status === 'success' || isTableMadeMeanwhile(job)) return { isReady: true }
  if (job.status === 'error')
    throw new UserError(
      foreignCodeOr(job.error.code, 'extractor.run.load'),
      `The table ${output.tableId} could not be created with types: ${job.error.message}`,
      { params: { tableId: output.tableId, jobId: job.id } },
    )
  return { isReady: false, jobId: job.id }
}

const begin = async (
  { tableId, columns, columnTypes = {}, primaryKey }: OutputTable,
  idempotencyKey: string,
  storage: StorageClient,
): Promise<Job | undefined> => {
  if (await storage.hasTable(tableId)) return undefined
  const parts = parseTableId(tableId)
  if (!parts) throw new Error(`"${tableId}" is not a table id`)
  const { bucketId, name } = parts
  if (!(await storage.hasBucket(bucketId))) await storage.createBucket(bucketId)
  const typed = columns.map(column => ({ name: column, type: columnTypes[column] }))
  try {
    return await storage.defineTable({ bucketId, name, primaryKey, columns: typed }, idempotencyKey)
  } catch (error) {
    if (error instanceof UserError && error.code === TABLE_EXISTS_CODE) return undefined
    throw error
  }
}
