import { existsSync, readdirSync } from 'node:fs'
import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { isOutOfSpace, OUT_OF_SPACE } from '#lib/errors/out-of-space.ts'
import type { DurableFiles } from '../../durable/durable-files.ts'
import { type DynaliteStore, type Level, levelOf, type Write } from './dynalite.ts'

interface Waiting {
  readonly write: Write
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** What LevelDB needs besides its log to open again: a manifest, an index, a new log. */
const roomToOpenBytes = 1024 * 1024

/** Where dynalite keeps what it knows of each table. */
const tables = { gte: 'table~', lt: 'table~\uffff' }
const unfinishedTable = z.object({ TableStatus: z.literal('CREATING') })

/**
 * The LevelDB under dynalite, written so that an acknowledged item survives a power cut: dynalite itself never asks for
 * a sync. Writes that wait at the same time are one batch with one sync.
 *
 * A write that fails leaves LevelDB's log with a part of a record in it, and what comes after that part would be lost at
 * the next start. So after a failure nothing is written before the database has been opened anew, which begins a new
 * log; until there is room for that, items are still read.
 */
export class ItemStore {
  readonly #folder: string
  readonly #files: DurableFiles
  readonly #level: Level
  #waiting: Waiting[] = []
  #isWriting = false
  #isBroken = false
  #syncedLogs = ''

  private constructor(level: Level, folder: string, files: DurableFiles) {
    this.#level = level
    this.#folder = folder
    this.#files = files
  }

  /** Takes over how dynalite's database is written and how its errors are answered. Rejects when it is damaged. */
  static async open(store: DynaliteStore, folder: string, files: DurableFiles): Promise<ItemStore> {
    const level = levelOf(
      store,
      error => asAnswer(error),
      write => items.#write(write),
    )
    const items = new ItemStore(level, folder, files)
    await checkHead(folder)
    try {
      await level.open()
    } catch (error) {
      throw openingError(error, folder)
    }
    await items.#syncLogs()
    await items.#dropUnfinishedTables()
    files.databaseSynced(folder)
    return items
  }

  /** dynalite makes a table in two writes, and nothing finishes one that was cut off in between. Nobody has used it. */
  async #dropUnfinishedTables(): Promise<void> {
    for await (const [key, table] of this.#level.entries(tables))
      if (unfinishedTable.safeParse(table).success) await this.#writeBatch([{ type: 'del', key }])
  }

  #write(write: Write): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.push({ write, resolve, reject })
    if (!this.#isWriting) void this.#writeWaiting()
    return promise
  }

  async #writeWaiting(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) {
      const group = this.#waiting
      this.#waiting = []
      try {
        await this.#mend()
        await this.#writeBatch(group.map(({ write }) => write))
        for (const { resolve } of group) resolve()
      } catch (error) {
        for (const { reject } of group) reject(asAnswer(error))
      }
    }
    this.#isWriting = false
  }

  async #writeBatch(writes: readonly Write[]): Promise<void> {
    try {
      await this.#level.batch(writes, { sync: this.#files.durability === 'full' })
      await this.#syncLogs()
    } catch (error) {
      this.#isBroken = true
      throw error
    }
    this.#files.databaseSynced(this.#folder)
  }

  /** LevelDB syncs what it writes to a log, but not that there is a new one. */
  async #syncLogs(): Promise<void> {
    if (this.#files.durability !== 'full') return
    // A handful of names: sooner read than a thread asked to.
    const logs = readdirSync(this.#folder)
      .filter(name => name.endsWith('.log'))
      .join()
    if (logs === this.#syncedLogs) return
    await this.#files.syncFolder(this.#folder)
    this.#syncedLogs = logs
  }

  async #mend(): Promise<void> {
    if (!this.#isBroken) return
    await checkRoom(this.#folder)
    await this.#level.close()
    await this.#level.open()
    await this.#syncLogs()
    this.#isBroken = false
  }
}

/** An answer in DynamoDB's form, which clients try again. Without one dynalite would throw, and the process end. */
const asAnswer = (error: unknown): Error => {
  const isFull = isOutOfSpace(error)
  const name = isFull ? 'ServiceUnavailable' : 'InternalServerError'
  const message = isFull ? OUT_OF_SPACE : `The item store failed: ${String(error)}`
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return Object.assign(new Error(message, { cause: error }), {
    code,
    statusCode: isFull ? 503 : 500,
    body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message },
  })
}

const checkRoom = async (folder: string): Promise<void> => {
  const logs = (await readdir(folder)).filter(name => name.endsWith('.log'))
  const sizes = await Promise.all(logs.map(async name => (await stat(join(folder, name))).size))
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < sizes.reduce((sum, size) => sum + size, roomToOpenBytes))
    throw Object.assign(new Error(`There is too little space to open ${folder} again`), { code: 'ENOSPC' })
}

/** Without the file `CURRENT` LevelDB would make a new database in the folder, and remove the old one. */
const checkHead = async (folder: string): Promise<void> => {
  if (!existsSync(folder) || existsSync(join(folder, 'CURRENT'))) return
  for (const name of await readdir(folder))
    if (/\.(ldb|sst|log)$/.test(name) && (await stat(join(folder, name))).size > 0)
      throw damaged(folder, 'the file CURRENT is missing')
}

const openingError = (error: unknown, folder: string): unknown => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (isOutOfSpace(cause)) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  return /corrupt|does not exist|CURRENT|missing files/i.test(reason) ? damaged(folder, reason, cause) : cause
}

const damaged = (folder: string, reason: string, cause?: unknown): Error =>
  new Error(
    `The item store ${folder} is damaged (${reason}). Restore the data directory from a copy, or start with another ` +
      'one (MILLRACE_DATA_DIR).',
    { cause },
  )
