import { randomUUID } from 'node:crypto'
import { dirname } from 'node:path'
import { type Disk, type DiskFile, realDisk } from './disk.ts'
import { type Durability, readDurability } from './durability.ts'

/** What the embedded cloud keeps is its owner's business. */
const ownFile = 0o600
const ownFolder = 0o700

/**
 * How the embedded cloud writes to its data directory. Whatever a method has resolved survives a power cut (with
 * `relaxed` durability: the end of the process), and what it has not is there whole or not at all.
 *
 * Callers that need the same folder synced at the same time share one sync.
 */
export class DurableFiles {
  readonly durability: Durability
  readonly disk: Disk
  readonly #folderSyncs = new Map<string, () => Promise<void>>()

  constructor({
    durability = readDurability(process.env),
    disk = realDisk,
  }: { durability?: Durability; disk?: Disk } = {}) {
    this.durability = durability
    this.disk = disk
  }

  /** With those above it, when they are missing. */
  async makeFolder(path: string, mode = ownFolder): Promise<void> {
    const made = await this.disk.makeFolder(path, mode)
    // One that was there may have been made by a process that was killed before it synced it.
    for (const folder of new Set([...made, path])) await this.syncFolder(dirname(folder))
  }

  /** Writes a small file: under another name first, so that the old content or the new one is there, never a part. */
  async writeWhole(path: string, content: string, mode = ownFile): Promise<void> {
    const temporary = `${path}.${randomUUID()}.tmp`
    try {
      const file = await this.disk.create(temporary, mode)
      await writeAndSync(file, Buffer.from(content), bytes => this.sync(bytes))
      await this.disk.rename(temporary, path)
    } catch (error) {
      // What cannot be removed now is removed at the next start.
      await this.disk.remove(temporary).catch(() => {})
      throw error
    }
    await this.syncFolder(dirname(path))
  }

  /** A new file to write to piece by piece. Call `sync` when all is written, and `syncFolder` once it is closed. */
  async create(path: string, mode = ownFile): Promise<DiskFile> {
    const file = await this.disk.create(path, mode)
    return this.durability === 'full' ? syncWhileWritten(file) : file
  }

  async sync(file: DiskFile): Promise<void> {
    if (this.durability === 'full') await file.sync()
  }

  async syncFolder(path: string): Promise<void> {
    if (this.durability !== 'full') return
    let sync = this.#folderSyncs.get(path)
    if (sync === undefined) {
      sync = shareRuns(() => this.disk.syncFolder(path))
      this.#folderSyncs.set(path, sync)
    }
    await sync()
  }

  async rename(from: string, to: string): Promise<void> {
    await this.disk.rename(from, to)
    await this.syncFolder(dirname(to))
  }

  /** A file that is gone already is no error. */
  async remove(path: string): Promise<void> {
    await this.disk.remove(path)
    await this.syncFolder(dirname(path))
  }

  /** Call after a database of this folder has synced its own files. */
  databaseSynced(folder: string): void {
    if (this.durability === 'full') this.disk.databaseSynced(folder)
  }
}

const writeAndSync = async (
  file: DiskFile,
  content: Buffer,
  sync: (file: DiskFile) => Promise<void>,
): Promise<void> => {
  try {
    for (let left = content; left.length > 0; ) left = left.subarray(await file.write([left]))
    await sync(file)
  } finally {
    await file.close()
  }
}

/**
 * Runs `work` for many callers at once: who comes while a run is under way waits with all the others for the next one,
 * which begins after their call, so what they did before it is covered.
 */
export const shareRuns = (work: () => Promise<void>): (() => Promise<void>) => {
  let current: Promise<void> | undefined
  let next: Promise<void> | undefined
  const run = (): Promise<void> => {
    current = work().finally(() => {
      current = undefined
    })
    return current
  }
  return () => {
    if (next) return next
    if (current === undefined) return run()
    next = current
      .catch(() => {}) // Those who waited for it have heard of it.
      .then(() => {
        next = undefined
        return run()
      })
    return next
  }
}

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
