import { z } from 'zod'
import type { StorageClient } from '../functions/lib/storage-client/storage-client.ts'
import { findStorage } from './find-storage.ts'
import { sentenceOf } from './output/say-error.ts'
import { type Shell, sayIn } from './shell.ts'
import type { StorageFlags } from './storage-options.ts'
import { awaitJob } from './transfer/await-job.ts'
import { connectStorage } from './transfer/connect-storage.ts'

const optimizeResults = z.object({ isMigrated: z.boolean().default(false) })

const migrateTable = async (storage: StorageClient, tableId: string): Promise<boolean> => {
  const job = await awaitJob(storage, await storage.optimizeTable(tableId))
  return optimizeResults.parse(job.results).isMigrated
}

/**
 * Migrates each table of the project, one after the other, and says which. A table that fails is named, and the others
 * are still done. Resolves to the exit code: 0 when all are Iceberg tables.
 */
export const migrateTables = async (flags: StorageFlags, shell: Shell): Promise<number> => {
  const log = sayIn(shell)
  const connection = connectStorage(await findStorage(flags, shell))
  try {
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
        log(`${tableId}: ${sentenceOf(error)}`)
      }
    }
    log(`${migrated} of ${tableIds.length} tables migrated, ${failed} failed; the others had the new form.`)
    return failed === 0 ? 0 : 1
  } finally {
    connection.close()
  }
}
