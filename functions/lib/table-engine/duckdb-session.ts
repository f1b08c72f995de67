import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import { quoteList } from './sql.ts'

interface DuckDbSessionOptions {
  /** The session creates its own folder in here and removes it when it is closed. */
  scratchDir: string
  /** Memory limit of DuckDB. More data spills to the session's folder. Very wide tables get what they need. */
  memoryLimitMiB: number
  threads: number
}

/** Query results as plain values: VARCHAR as string, BIGINT as bigint. */
type Row = DuckDBValue[]

/**
 * An empty in-memory database with a scratch folder, for one piece of work.
 *
 * Opening takes about 10 ms. A new one for each piece of work leaves no memory and no file behind in a warm function.
 */
export interface DuckDbSession {
  /** A new path in the session's folder. */
  scratchPath(name: string): string
  /** Makes room for rows with this many columns: more memory or fewer threads. Before the first statement. */
  fitTo(columns: number): Promise<void>
  /** Runs one statement on all threads. Not while {@link runInOrder} is running. */
  query(sql: string): Promise<Row[]>
  /**
   * Runs one statement on a single thread, in parallel with as many others as the session has threads. More have to
   * wait.
   *
   * So rows keep their order, which several threads of one statement do not guarantee, and a statement always has the
   * same result. Two single-threaded statements also take a third less processor time than one after the other on two
   * threads (measured with the import of CSV chunks).
   */
  runInOrder(sql: string): Promise<Row[]>
  close(): Promise<void>
}

/**
 * DuckDB processes 2,048 rows at a time. A value takes 16 bytes, and a statement holds up to eight vectors per column.
 */
const MIB_PER_COLUMN = (8 * 2048 * 16) / 1024 ** 2

/** What a statement needs besides, even for a narrow table: a chunk of CSV and of Parquet. */
const MIB_PER_STATEMENT = 24

const BASE_MIB = 64

/** How many threads fit into the memory. The widest tables get one thread and the memory that it needs. */
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

/** Settings that keep DuckDB on this machine: it installs, loads and fetches nothing that is not built in. */
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
      // Order comes from single threads and ORDER BY. Without this DuckDB would buffer, and not bound row groups in
      // bytes.
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
 * Confines the session to its folder: no other file, no network, no extension, and no statement can undo it. The order
 * matters: the folder can only be named while access is on.
 */
const confineTo = async (folder: string, instance: DuckDBInstance): Promise<void> => {
  const connection = await instance.connect()
  try {
    await connection.run(`SET allowed_directories = ${quoteList([folder])}`)
    await connection.run('SET enable_external_access = false')
    // These two are set again for each statement.
    await connection.run(`SET allowed_configs = ${quoteList(['threads', 'memory_limit'])}`)
    await connection.run('SET lock_configuration = true')
  } finally {
    connection.closeSync()
  }
}

const FOLDER_PREFIX = 'tables-'

/** No piece of work goes so long without writing to its folder: a function ends after 15 minutes. */
const ABANDONED_AFTER_MS = 60 * 60 * 1000

/** Removes the folders of sessions that were killed. */
const removeAbandoned = async (scratchDir: string): Promise<void> => {
  for (const name of await readdir(scratchDir)) {
    if (!name.startsWith(FOLDER_PREFIX)) continue
    const folder = path.join(scratchDir, name)
    // Another session may just have been closed, and its folder removed.
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
      // After a failure other statements of a batch may still be running. Closing their connection crashes DuckDB.
      await Promise.all(underWay)
      for (const connection of connections) connection.closeSync()
      instance.closeSync()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
