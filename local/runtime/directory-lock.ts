import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

const sqliteBusy = 5
const retryMs = 50

/**
 * Locks the folder for this process. Resolves to the function that releases it. Rejects when another process still holds
 * it after `waitMs`; the wait is for a process that is about to end.
 *
 * The lock is an open exclusive transaction on an empty database, because Node has no `flock`. The kernel releases it
 * with the process, however that ends. A process id in a file would outlive its process and later name another one.
 */
export const lockDirectory = async (folder: string, waitMs: number): Promise<() => void> => {
  const deadline = Date.now() + waitMs
  for (;;) {
    const connection = new DatabaseSync(lockFile(folder))
    try {
      connection.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
      writeFileSync(holderFile(folder), `process ${process.pid} (started ${new Date().toISOString()})`)
      return () => {
        rmSync(holderFile(folder), { force: true })
        connection.close()
      }
    } catch (error) {
      connection.close()
      if (!isBusy(error)) throw error
    }
    if (Date.now() >= deadline)
      throw new Error(
        `The data directory ${folder} is in use by ${holderOf(folder)}. Stop it, or choose another with MILLRACE_DATA_DIR.`,
      )
    await sleep(retryMs)
  }
}

/** Whether some process holds the folder now. */
export const isDirectoryLocked = (folder: string): boolean => {
  const path = lockFile(folder)
  if (!existsSync(path)) return false
  const connection = new DatabaseSync(path, { readOnly: true })
  try {
    connection.exec('SELECT * FROM sqlite_schema')
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw error
  } finally {
    connection.close()
  }
}

// Nothing else may open the lock's file: closing any handle of it drops all locks of the process (POSIX).
const lockFile = (folder: string) => join(folder, 'lock.db')
/** For the sentence above alone. */
const holderFile = (folder: string) => join(folder, 'lock-holder.txt')

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy

/** The holder may not have written it yet. */
const holderOf = (folder: string): string => {
  try {
    return readFileSync(holderFile(folder), 'utf8') || 'another process'
  } catch {
    return 'another process'
  }
}
