import { z } from 'zod'
import type { StorageClient } from '../functions/lib/storage-client/storage-client.ts'
import { findStorage } from './find-storage.ts'
import type { StorageFlags } from './storage-options.ts'
import { awaitJob } from './transfer/await-job.ts'
import { connectStorage, type StorageConnection } from './transfer/connect-storage.ts'
import { type ProgramStreams, processStreams } from './transfer/program-streams.ts'

const optimizeResults = z.object({ isMigrated: z.boolean().default(false) })

const migrateTable = async (storage: StorageClient, tableId: string): Promise<boolean> => {
  const job = await awaitJob(storage, await storage.optimizeTable(tableId))
  return optimizeResults.parse(job.results).isMigrated
}

/**
 * Migrates each table of the project, one after the other, and says which. A table that fails is named, and the others
 * are still done. Resolves to the exit code: 0 when all are Iceberg tables.
 */
export const runMigrateTables = async (
  flags: StorageFlags,
  { log }: ProgramStreams = processStreams,
): Promise<number> => {
  let connection: StorageConnection | undefined
  try {
    connection = connectStorage(await findStorage(flags))
    const { storage } = connection
    const tableIds = await storage.tableIds()
    let migrated = 0
    let failed = 0
    for (const tableId of tableIds) {
      try {
        if (!(await migrateTable(storage, tableId))) continue
        migrated++
        log(`${tableId}: migrated`)
      } catch (error) {
        failed++
        log(`${tableId}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
    log(`${migrated} of ${tableIds.length} tables migrated, ${failed} failed; the others had the new form.`)
    return failed === 0 ? 0 : 1
  } catch (error) {
    log(error instanceof Error ? error.message : String(error))
    return 1
  } finally {
    connection?.close()
  }
}
