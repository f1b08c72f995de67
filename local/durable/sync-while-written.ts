import type { DiskFile } from './disk.ts'

const syncedAtOnceBytes = 8 * 1024 * 1024

/**
 * A large file whose bytes go to the disk while more of them come, so that little is left to do in the end. `sync`
 * tells of a sync on the way that failed: the system itself would not tell of it twice.
 */
export const syncWhileWritten = (file: DiskFile): DiskFile => {
  let unsynced = 0
  let isSyncing = false
  let synced = Promise.resolve()
  const startSync = (): void => {
    unsynced = 0
    isSyncing = true
    synced = synced
      .then(() => file.sync())
      .finally(() => {
        isSyncing = false
      })
    // Heard of where it is awaited; without this it would count as unhandled until then.
    synced.catch(() => {})
  }
  return {
    write: async buffers => {
      const count = await file.write(buffers)
      unsynced += count
      if (unsynced >= syncedAtOnceBytes && !isSyncing) startSync()
      return count
    },
    sync: async () => {
      await synced
      await file.sync()
    },
    close: async () => {
      await synced.catch(() => {})
      await file.close()
    },
  }
}
