import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * What is asked of the file system when the data directory is written: the seam under which a test records what was
 * synced, cuts the power or fills the disk.
 *
 * As on a real disk, nothing is durable before it is synced: the bytes of a file by `DiskFile.sync`, its name (that it
 * was created, renamed or removed) by `syncFolder` of its folder.
 */
export interface Disk {
  /** A new file. Rejects with `EEXIST` when there is one. */
  create(path: string, mode: number): Promise<DiskFile>
  /** Puts the file in the place of whatever has the new name. Both names are in one folder. */
  rename(from: string, to: string): Promise<void>
  /** A file that is gone already is no error. */
  remove(path: string): Promise<void>
  /** With those above it; a folder that is there already is no error. The folders made, the topmost first. */
  makeFolder(path: string, mode: number): Promise<string[]>
  syncFolder(path: string): Promise<void>
  /**
   * A database that writes and syncs its own files (SQLite) has just synced all of them. The real disk has
   * nothing to do; a recorder takes the state of the files.
   */
  databaseSynced(folder: string): void
}

export interface DiskFile {
  /** Appends; the result is how many bytes were taken, which may be fewer. */
  write(buffers: readonly Buffer[]): Promise<number>
  sync(): Promise<void>
  close(): Promise<void>
}

export const realDisk: Disk = {
  create: async (path, mode) => {
    const handle = await open(path, 'wx', mode)
    return {
      write: async buffers => (await handle.writev(buffers)).bytesWritten,
      sync: () => handle.datasync(),
      close: () => handle.close(),
    }
  },
  rename,
  remove: path => rm(path, { force: true }),
  makeFolder: async (path, mode) => {
    const topmost = await mkdir(path, { recursive: true, mode })
    return topmost === undefined ? [] : foldersBetween(topmost, path)
  },
  syncFolder: async path => {
    // Windows has no sync of a folder; it cannot open one.
    if (process.platform === 'win32') return
    const handle = await open(path, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  },
  databaseSynced: () => {},
}

const foldersBetween = (topmost: string, path: string): string[] =>
  path.length <= topmost.length ? [path] : [...foldersBetween(topmost, dirname(path)), path]
