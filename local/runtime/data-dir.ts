import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { writeFileAtomically } from './write-file-atomically.ts'

const lockSchema = z.object({ pid: z.number().int(), startedAt: z.string() })
const rootSchema = z.object({ accessKeyId: z.string(), secretAccessKey: z.string() })

export type RootCredentials = z.infer<typeof rootSchema>

/** The one folder that holds everything; one process at a time. */
export interface DataDir {
  /** Absolute. */
  readonly path: string
  /** The account's own key; made at the first start and kept. */
  readonly root: RootCredentials
  release(): Promise<void>
}

/** Folders that this very process holds: its own id in a lock file would otherwise look like an old one. */
const held = new Set<string>()

/**
 * Takes hold of the data directory, making it when it is missing.
 *
 * Rejects when another process that is alive holds it, with that process's id. The lock of a process that was killed is
 * taken over.
 */
export const openDataDir = async (given: string): Promise<DataDir> => {
  const path = resolve(given)
  await mkdir(path, { recursive: true, mode: 0o700 })
  const lock = join(path, 'lock.json')
  await takeLock(path, lock)
  held.add(path)
  const release = async () => {
    held.delete(path)
    await rm(lock, { force: true })
  }
  try {
    return { path, root: await rootCredentials(join(path, 'root-credentials.json')), release }
  } catch (error) {
    await release()
    throw error
  }
}

const takeLock = async (path: string, lock: string): Promise<void> => {
  const content = JSON.stringify({ pid: process.pid, startedAt: new Date().toISOString() })
  for (;;) {
    try {
      await writeFile(lock, content, { flag: 'wx', mode: 0o600 })
      return
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
    const holder = await lockHolder(lock)
    const isOurs = holder === process.pid
    if (holder !== undefined && (isOurs ? held.has(path) : isAlive(holder)))
      throw new Error(
        `The data directory ${path} is in use by process ${holder}. Stop it, or choose another with MILLRACE_DATA_DIR.`,
      )
    await rm(lock, { force: true })
  }
}

/** Nothing when the file is gone again, or was cut short by the end of its writer. */
const lockHolder = async (lock: string): Promise<number | undefined> => {
  try {
    return lockSchema.parse(JSON.parse(await readFile(lock, 'utf8'))).pid
  } catch {
    return undefined
  }
}

/** Whether there is a process of this id. One of another user counts: the signal is refused, but it is there. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

const rootCredentials = async (file: string): Promise<RootCredentials> => {
  if (existsSync(file)) return rootSchema.parse(JSON.parse(await readFile(file, 'utf8')))
  const made = {
    // The form of a real one: some clients check it.
    accessKeyId: `AKIA${randomBytes(8).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(20).toString('hex'),
  }
  await writeFileAtomically(file, JSON.stringify(made))
  return made
}
