import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import { quoteList } from './sql.ts'

interface DuckDbSessionOptions {
  /** The session makes a folder of its own in here and removes it when it is closed. */
  scratchDir: string
  /** What DuckDB may hold in memory; beyond it spills to the session's folder. Very wide tables get what they need. */
  memoryLimitMiB: number
  threads: number
}

/** Query results as plain values: VARCHAR as string, BIGINT as bigint. */
type Row = DuckDBValue[]

/**
 * An empty in-memory database with a scratch folder, for one piece of work.
 *
 * Opening costs about 10 ms. One for each piece of work leaves nothing behind in a warm function: no memory, no file.
 */
export interface DuckDbSession {
  /** A new path in the session's folder. */
  scratchPath(name: string): string
  /** Before the first statement: makes room for rows of so many columns, with more memory or fewer threads. */
  fitTo(columns: number): Promise<void>
  /** Runs one statement on all threads. Not while {@link runInOrder} is under way. */
  query(sql: string): Promise<Row[]>
  /**
   * Runs one statement on a single thread, beside as many others as the session has threads; more wait.
   *
   * Rows keep their order so, which the several threads of one statement do not promise, and a statement's result is
   * the same each time. Two single-threaded statements also cost a third less processor time than two threads for one
   * after the other (measured with the import of CSV chunks).
   */
  runInOrder(sql: string): Promise<Row[]>
  close(): Promise<void>
}

/** DuckDB works on 2,048 rows at a time, each value takes 16 bytes, and a statement holds up to eight such vectors a column. */
const MIB_PER_COLUMN = (8 * 2048 * 16) / 1024 ** 2

/** What a statement needs besides, however narrow the table: a chunk of CSV and of Parquet. */
const MIB_PER_STATEMENT = 24

const BASE_MIB = 64

/** How many threads have room in the memory; for the widest tables one thread and the memory that it needs. */
export const fitToColumns = ({
  columns,
  threads,
  memoryLimitMiB,
}: {
  columns: number
  threads: number
  memoryLimitMiB: number
}): { threads: number; memoryLimitMiB: number } => {
  const perThread = MIB_PER_STATEMENT + columns * MIB_PER_COLUMN
  const room = Math.floor((memoryLimitMiB - BASE_MIB) / perThread)
  return {
    threads: Math.max(1, Math.min(threads, room)),
    memoryLimitMiB: Math.max(memoryLimitMiB, Math.ceil(BASE_MIB + perThread)),
  }
}

/** Settings that keep DuckDB on this machine: nothing is installed, loaded or fetched that is not built in. */
const OFFLINE = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
}

export const openDuckDbSession = async ({
  scratchDir,
  memoryLimitMiB,
  threads,
}: DuckDbSessionOptions): Promise<DuckDbSession> => {
  await mkdir(scratchDir, { recursive: true })
  await removeAbandoned(scratchDir)
  const folder = await mkdtemp(path.join(path.resolve(scratchDir), FOLDER_PREFIX))
  let instance: DuckDBInstance | undefined
  try {
    instance = await DuckDBInstance.create(':memory:', {
      ...OFFLINE,
      temp_directory: path.join(folder, 'spill'),
      memory_limit: `${memoryLimitMiB}MiB`,
      threads: '1',
      // Order comes from single threads and ORDER BY; DuckDB need not buffer for it, and bounds row groups in bytes only so.
      preserve_insertion_order: 'false',
    })
    await confineTo(folder, instance)
    return await createSession({ instance, folder, threads, memoryLimitMiB })
  } catch (error) {
    instance?.closeSync()
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/**
 * Shuts the session into its folder: no other file, no network, no extension, and no statement can undo it. In this
 * order: the folder cannot be named any more once access is off.
 */
const confineTo = async (folder: string, instance: DuckDBInstance): Promise<void> => {
  const connection = await instance.connect()
  try {
    await connection.run(`SET allowed_directories = ${quoteList([folder])}`)
    await connection.run('SET enable_external_access = false')
    // Both follow the work, from statement to statement.
    await connection.run(`SET allowed_configs = ${quoteList(['threads', 'memory_limit'])}`)
    await connection.run('SET lock_configuration = true')
  } finally {
    connection.closeSync()
  }
}

const FOLDER_PREFIX = 'tables-'

/** No piece of work lasts so long without a new file in its folder: a function is ended after 15 minutes. */
const ABANDONED_AFTER_MS = 60 * 60 * 1000

/** Removes the folders of sessions that were killed before they could. */
const removeAbandoned = async (scratchDir: string): Promise<void> => {
  for (const name of await readdir(scratchDir)) {
    if (!name.startsWith(FOLDER_PREFIX)) continue
    const folder = path.join(scratchDir, name)
    // Another session may be closing, and its folder gone by now.
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(folder, { recursive: true, force: true })
  }
}

const createSession = async ({
  instance,
  folder,
  threads,
  memoryLimitMiB,
}: {
  instance: DuckDBInstance
  folder: string
  threads: number
  memoryLimitMiB: number
}): Promise<DuckDbSession> => {
  const connections: DuckDBConnection[] = []
  for (let i = 0; i < threads; i++) connections.push(await instance.connect())
  const idle = [...connections]
  const waiting: ((connection: DuckDBConnection) => void)[] = []
  let maxThreads = threads
  let currentThreads = 1
  let isClosed = false

  const acquire = async (): Promise<DuckDBConnection> =>
    idle.pop() ?? (await new Promise<DuckDBConnection>(resolve => waiting.push(resolve)))
  const release = (connection: DuckDBConnection): void => {
    const next = waiting.shift()
    if (next) next(connection)
    else idle.push(connection)
  }

  const run = async (sql: string, wantedThreads: number): Promise<Row[]> => {
    const connection = await acquire()
    try {
      if (isClosed) throw new Error('The session was closed before this statement could run.')
      if (currentThreads !== wantedThreads) {
        currentThreads = wantedThreads
        await connection.run(`SET threads = ${wantedThreads}`)
      }
      return (await connection.runAndReadAll(sql)).getRows()
    } finally {
      release(connection)
    }
  }
  const underWay = new Set<Promise<unknown>>()
  const track = (sql: string, wantedThreads: number): Promise<Row[]> => {
    const result = run(sql, wantedThreads)
    const settled = result.catch(() => undefined).finally(() => underWay.delete(settled))
    underWay.add(settled)
    return result
  }

  return {
    scratchPath: name => path.join(folder, name),
    fitTo: async columns => {
      const fit = fitToColumns({ columns, threads, memoryLimitMiB })
      maxThreads = fit.threads
      idle.splice(maxThreads)
      await track(`SET memory_limit = '${fit.memoryLimitMiB}MiB'`, 1)
    },
    query: sql => track(sql, maxThreads),
    runInOrder: sql => track(sql, 1),
    close: async () => {
      isClosed = true
      // After a failure the other statements of a batch may still be running; closed under them, DuckDB crashes.
      await Promise.all(underWay)
      for (const connection of connections) connection.closeSync()
      instance.closeSync()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
