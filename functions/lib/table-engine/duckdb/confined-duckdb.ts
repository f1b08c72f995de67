import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { quoteList } from './sql.ts'

interface ConfinedOptions {
  /** A folder is created in here, and removed when the work is done. */
  scratchDir: string
  /** Memory limit of DuckDB. More data spills to the folder. Very wide tables get what they need. */
  memoryLimitMiB: number
  /** Of what spills. Default: what the disk has. */
  spillMiB?: number
}

/** A DuckDB in memory that sees no file but those of its folder: for one piece of work, and then for the next. */
export interface ConfinedDuckDb extends ConfinedOptions {
  folder: string
  instance: DuckDBInstance
}

/** As many as work at the same time on a machine with few cores. */
const MAX_IDLE = 4

/**
 * Those that have done a piece of work, the last one last. Making one takes ten times as long as using one again (10 ms
 * of processor time). While it is idle, it has no folder, no table, one thread, and 3 MiB of memory.
 */
export class DuckDbPool {
  readonly #options: ConfinedOptions
  readonly #idle: ConfinedDuckDb[] = []

  constructor(options: ConfinedOptions) {
    this.#options = options
  }

  async take(): Promise<ConfinedDuckDb> {
    const { scratchDir } = this.#options
    await mkdir(scratchDir, { recursive: true })
    await removeAbandoned(scratchDir)
    const taken = this.#idle.pop() ?? (await makeDuckDb(this.#options))
    try {
      await mkdir(taken.folder, { recursive: true })
      // What a piece of work creates is in a database of its own, and goes with it.
      await runAll(taken, [`ATTACH ':memory:' AS ${WORK}`])
      return taken
    } catch (error) {
      await discardDuckDb(taken)
      throw error
    }
  }

  /** After work that went well, when all its connections are closed. */
  async giveBack(duckDb: ConfinedDuckDb): Promise<void> {
    // It would not find the folder again, and has used all the memory that it may.
    if (existsSync(spillFolder(duckDb.folder))) return discardDuckDb(duckDb)
    try {
      await runAll(duckDb, [
        `DETACH ${WORK}`,
        'SET threads = 1',
        `SET memory_limit = '${duckDb.memoryLimitMiB}MiB'`,
      ])
      await rm(duckDb.folder, { recursive: true, force: true })
    } catch (error) {
      await discardDuckDb(duckDb)
      throw error
    }
    this.#idle.push(duckDb)
    if (this.#idle.length > MAX_IDLE) this.#idle.shift()?.instance.closeSync()
  }
}

const WORK = 'work'

export const connectToWork = async ({ instance }: ConfinedDuckDb): Promise<DuckDBConnection> => {
  const connection = await instance.connect()
  await connection.run(`USE ${WORK}`)
  return connection
}

export const discardDuckDb = async ({ instance, folder }: ConfinedDuckDb): Promise<void> => {
  instance.closeSync()
  await rm(folder, { recursive: true, force: true })
}

/** Settings that keep DuckDB on this machine: it installs, loads and fetches nothing that is not built in. */
const OFFLINE = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
}

/** A folder for one piece of work. */
export const makeWorkFolder = (scratchDir: string): Promise<string> =>
  mkdtemp(path.join(path.resolve(scratchDir), FOLDER_PREFIX))

const makeDuckDb = async ({
  scratchDir,
  memoryLimitMiB,
  spillMiB,
}: ConfinedOptions): Promise<ConfinedDuckDb> => {
  const folder = await makeWorkFolder(scratchDir)
  let instance: DuckDBInstance | undefined
  try {
    instance = await DuckDBInstance.create(':memory:', {
      ...OFFLINE,
      temp_directory: spillFolder(folder),
      memory_limit: `${memoryLimitMiB}MiB`,
      threads: '1',
      // Order comes from single threads and ORDER BY. Without this DuckDB would buffer, and not bound row groups in
      // bytes.
      preserve_insertion_order: 'false',
      // The next piece of work has other files of the same names.
      enable_external_file_cache: 'false',
    })
    const made = { scratchDir, memoryLimitMiB, folder, instance }
    // DuckDB believes this one only when it is set afterwards.
    const spill = spillMiB === undefined ? [] : [`SET max_temp_directory_size = '${spillMiB}MiB'`]
    await runAll(made, [...spill, ...confinedTo(folder)])
    return made
  } catch (error) {
    instance?.closeSync()
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

const spillFolder = (folder: string): string => path.join(folder, 'spill')

/**
 * Confines DuckDB to its folder: no other file, no network, no extension, and no statement can undo it. The order
 * matters: the folder can only be named while access is on.
 */
const confinedTo = (folder: string): string[] => [
  `SET allowed_directories = ${quoteList([folder])}`,
  'SET enable_external_access = false',
  // These two are set again for each statement.
  `SET allowed_configs = ${quoteList(['threads', 'memory_limit'])}`,
  'SET lock_configuration = true',
]

const runAll = async ({ instance }: ConfinedDuckDb, statements: readonly string[]): Promise<void> => {
  const connection = await instance.connect()
  try {
    await connection.run(statements.join('; '))
  } finally {
    connection.closeSync()
  }
}

const FOLDER_PREFIX = 'tables-'

/** No piece of work goes so long without writing to its folder: a function ends after 15 minutes. */
const ABANDONED_AFTER_MS = 60 * 60 * 1000

/** Removes the folders of processes that were killed. */
const removeAbandoned = async (scratchDir: string): Promise<void> => {
  for (const name of await readdir(scratchDir)) {
    if (!name.startsWith(FOLDER_PREFIX)) continue
    const folder = path.join(scratchDir, name)
    // Another session may just have been closed, and its folder removed.
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(folder, { recursive: true, force: true })
  }
}
