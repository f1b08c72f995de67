import { UserError } from '../errors/errors.ts'
import { checkKeyOfTable } from '../wire/primary-key.ts'
import { parseTableId } from '../wire/storage-ids.ts'
import type { CsvFormat, StorageClient } from './storage-client.ts'
import { TABLE_EXISTS_CODE } from './table-exists-code.ts'
import type { Job } from './wire.ts'

/** Of a service's index: `tables-async` knows `ifExists=load`. */
export const IF_EXISTS_FEATURE = 'tables-async-if-exists'

export interface TableLoad extends CsvFormat {
  tableId: string
  dataFileId: number
  incremental: boolean
  /** A new table gets it; one that exists should have it. Empty: whatever the table has. */
  primaryKey: readonly string[]
}

export interface LoadOptions {
  /** Names this load: a call that is repeated after a lost answer gets the job of the first. */
  idempotencyKey: string
  /**
   * An earlier call may have got through. It may have created the table, which the service keeps apart from an import with
   * the same key: a creation is asked for first, and answered with the job of that call. Default: not.
   */
  isRepeated?: boolean
  /**
   * Compares the primary keys before the load is asked for, because a hosted service never does. Our own compares them
   * when the job runs. Default: not, for callers that learn of a failure from the job.
   */
  checksKeyFirst?: boolean
  /** The service creates the table or loads into it by one job: `IF_EXISTS_FEATURE`. Default: not. */
  hasIfExists?: boolean
}

interface StartedLoad {
  job: Job
  warnings: string[]
}

type Storage = Pick<
  StorageClient,
  'hasTable' | 'table' | 'hasBucket' | 'createBucket' | 'createTable' | 'importTable'
>

/**
 * Starts the job that loads a file into a table. A table that does not exist is created, and its bucket with it.
 *
 * Somebody else may create the table at the same moment. When the service says so at once, the file is imported into
 * that table. When it says so by the job, `isTableMadeMeanwhile` holds for the job: call again, with the key that
 * `keyAfter` gives.
 */
export const loadIntoTable = async (
  storage: Storage,
  {
    tableId,
    incremental,
    primaryKey,
    dataFileId,
    columns,
    delimiter,
    enclosure,
    types,
    textColumns,
    missingColumns = 'empty',
  }: TableLoad,
  { idempotencyKey, isRepeated = false, checksKeyFirst = false, hasIfExists = false }: LoadOptions,
): Promise<StartedLoad> => {
  const file = { dataFileId, columns, delimiter, enclosure, types, textColumns }
  const importIntoTable = async (): Promise<StartedLoad> => {
    const warnings = checksKeyFirst
      ? checkKeyOfTable({
          tableId,
          tableKey: (await storage.table(tableId)).primaryKey,
          primaryKey,
          incremental,
        })
      : []
    const load = { ...file, tableId, incremental, primaryKey, missingColumns }
    return { job: await storage.importTable(load, idempotencyKey), warnings }
  }

  const { bucketId, name } = partsOf(tableId)
  const ifThere = { ifExists: 'load', incremental: incremental ? 1 : 0, missingColumns } as const
  const createTable = async (): Promise<StartedLoad> => {
    const creation = { ...file, bucketId, name, primaryKey: [...primaryKey], ...(hasIfExists && ifThere) }
    return { job: await storage.createTable(creation, idempotencyKey), warnings: [] }
  }

  const withBucket = async (start: () => Promise<StartedLoad>): Promise<StartedLoad> => {
    if (!(await storage.hasBucket(bucketId))) await storage.createBucket(bucketId)
    return start()
  }
  if (hasIfExists)
    return createTable().catch((error: unknown) => {
      // The bucket is missing, or the file.
      if (error instanceof UserError && error.status === 404) return withBucket(createTable)
      throw error
    })

  if (isRepeated)
    try {
      return await createTable()
    } catch (error) {
      // The table is there, and nobody has created it with this key; or its bucket is not there yet, or the file.
      if (!(error instanceof UserError) || !(error.code === TABLE_EXISTS_CODE || error.status === 404))
        throw error
    }
  // Most tables exist: to look first would cost a detail of the table for each file.
  try {
    return await importIntoTable()
  } catch (error) {
    if (!(error instanceof UserError) || error.status !== 404) throw error
  }
  // It was the file that is missing, or somebody has created the table since.
  if (await storage.hasTable(tableId)) return importIntoTable()

  try {
    return await withBucket(createTable)
  } catch (error) {
    if (error instanceof UserError && error.code === TABLE_EXISTS_CODE) return importIntoTable()
    throw error
  }
}

/** The job was to create a table that somebody else had created by the time it ran. */
export const isTableMadeMeanwhile = (job: Job): boolean =>
  job.status === 'error' && job.error.code === TABLE_EXISTS_CODE

/** The key of the attempt after a job that failed: with the old key the service would answer with that job again. */
export const keyAfter = (idempotencyKey: string, { id }: Pick<Job, 'id'>): string =>
  `${idempotencyKey}-after-${id}`

const partsOf = (tableId: string) => {
  const parts = parseTableId(tableId)
  if (!parts) throw new Error(`"${tableId}" is not a table id`)
  return parts
}
