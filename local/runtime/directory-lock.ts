import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { DurableFiles } from '../durable/durable-files.ts'

const holderSchema = z.object({ pid: z.number().int(), startedAt: z.string() })

/** Who holds a folder. For messages only. */
type LockHolder = z.infer<typeof holderSchema>

const sqliteBusy = 5
const retryMs = 50

/**
 * Locks the folder for this process. Resolves to the function that releases it. Rejects when another process still holds
 * it after `waitMs`; the wait is for a process that is about to end.
 *
 * The lock is an open exclusive transaction on an empty database, because Node has no `flock`. The kernel releases it
 * with the process, however that ends. A process id in a file would outlive its process and later name another one.
 */
export const lockDirectory = async (
  folder: string,
  { files, waitMs }: { files: DurableFiles; waitMs: number },
): Promise<() => Promise<void>> => {
  const deadline = Date.now() + waitMs
  for (;;) {
    const connection = tryLock(lockFile(folder))
    if (connection) return hold(folder, connection, files)
    if (Date.now() >= deadline) throw new Error(await refusal(folder))
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
const holderFile = (folder: string) => join(folder, 'lock-holder.json')

const tryLock = (path: string): DatabaseSync | undefined => {
  const connection = new DatabaseSync(path)
  try {
    connection.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return connection
  } catch (error) {
    connection.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy

const hold = async (
  folder: string,
  connection: DatabaseSync,
  files: DurableFiles,
): Promise<() => Promise<void>> => {
  const holder: LockHolder = { pid: process.pid, startedAt: new Date().toISOString() }
  try {
    await files.writeWhole(holderFile(folder), JSON.stringify(holder))
  } catch (error) {
    connection.close()
    throw error
  }
  return async () => {
    await rm(holderFile(folder), { force: true })
    connection.close()
  }
}

const refusal = async (folder: string): Promise<string> => {
  const holder = await readHolder(folder)
  const who = holder ? `process ${holder.pid} (started ${holder.startedAt})` : 'another process'
  return `The data directory ${folder} is in use by ${who}. Stop it, or choose another with MILLRACE_DATA_DIR.`
}

/** Undefined when the holder has not written it yet. */
const readHolder = async (folder: string): Promise<LockHolder | undefined> => {
  try {
    return holderSchema.parse(JSON.parse(await readFile(holderFile(folder), 'utf8')))
  } catch {
    return undefined
  }
}
