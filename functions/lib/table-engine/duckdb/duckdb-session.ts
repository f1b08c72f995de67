import path from 'node:path'
import {
  type DuckDBConnection,
  type DuckDBValue,
  type Json,
  JsonDuckDBValueConverter,
} from '@duckdb/node-api'
import { bytesInReply } from '../../json/bytes-in-reply.ts'
import { type ConfinedDuckDb, connectToWork, type DuckDbPool, discardDuckDb } from './confined-duckdb.ts'

interface DuckDbSessionOptions {
  pool: DuckDbPool
  threads: number
  /** Ends every statement, with its reason. Default: nothing does. */
  signal?: AbortSignal | undefined
}

/** Query results as plain values: VARCHAR as string, BIGINT as bigint. */
type Row = DuckDBValue[]

/** An empty in-memory database with a scratch folder, for one piece of work. It leaves no table and no file behind. */
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
  /** Runs one statement on all threads as far as its first rows need it. */
  first(sql: string, most: ShownRows): Promise<FirstRows>
  close(): Promise<void>
}

/** How much of a result is shown: at most so many rows, of so many bytes in a reply. */
export interface ShownRows {
  rows: number
  bytes: number
}

/** Rows in JSON. */
export interface FirstRows {
  columns: { name: string; type: string }[]
  rows: Json[][]
  /** There are more. */
  isTruncated: boolean
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

export const openDuckDbSession = async (options: DuckDbSessionOptions): Promise<DuckDbSession> => {
  const duckDb = await options.pool.take()
  try {
    return await createSession(duckDb, options)
  } catch (error) {
    await discardDuckDb(duckDb)
    throw error
  }
}

const createSession = async (
  duckDb: ConfinedDuckDb,
  { pool, threads, signal: until }: DuckDbSessionOptions,
): Promise<DuckDbSession> => {
  const { folder, memoryLimitMiB } = duckDb
  const connections: DuckDBConnection[] = []
  for (let i = 0; i < threads; i++) connections.push(await connectToWork(duckDb))
  const idle = [...connections]
  const waiting: ((connection: DuckDBConnection) => void)[] = []
  let maxThreads = threads
  let currentThreads = 1
  let isClosed = false
  let hasFailed = false

  const acquire = async (): Promise<DuckDBConnection> =>
    idle.pop() ?? (await new Promise<DuckDBConnection>(resolve => waiting.push(resolve)))
  const release = (connection: DuckDBConnection): void => {
    const next = waiting.shift()
    if (next) next(connection)
    else idle.push(connection)
  }

  const onConnection = async <Result>(
    wantedThreads: number,
    work: (connection: DuckDBConnection) => Promise<Result>,
  ): Promise<Result> => {
    const connection = await acquire()
    const interrupt = () => connection.interrupt()
    until?.addEventListener('abort', interrupt)
    try {
      until?.throwIfAborted()
      if (isClosed) throw new Error('The session was closed before this statement could run.')
      if (currentThreads !== wantedThreads) {
        currentThreads = wantedThreads
        await connection.run(`SET threads = ${wantedThreads}`)
      }
      return await work(connection)
    } catch (error) {
      hasFailed = true
      until?.throwIfAborted() // DuckDB's own error would say only that it was interrupted.
      throw error
    } finally {
      until?.removeEventListener('abort', interrupt)
      release(connection)
    }
  }
  const underWay = new Set<Promise<unknown>>()
  const track = <Result>(result: Promise<Result>): Promise<Result> => {
    const settled: Promise<unknown> = result.then(
      () => underWay.delete(settled),
      () => underWay.delete(settled),
    )
    underWay.add(settled)
    return result
  }
  const run = (sql: string, threads: number): Promise<Row[]> =>
    track(onConnection(threads, async connection => (await connection.runAndReadAll(sql)).getRows()))

  return {
    scratchPath: name => path.join(folder, name),
    fitTo: async columns => {
      const fit = fitToColumns({ columns, threads, memoryLimitMiB })
      maxThreads = fit.threads
      idle.splice(maxThreads)
      await run(`SET memory_limit = '${fit.memoryLimitMiB}MiB'`, 1)
    },
    query: sql => run(sql, maxThreads),
    runInOrder: sql => run(sql, 1),
    first: (sql, most) => track(onConnection(maxThreads, connection => firstRows(connection, sql, most))),
    close: async () => {
      isClosed = true
      // After a failure other statements of a batch may still be running. Closing their connection crashes DuckDB.
      await Promise.all(underWay)
      for (const connection of connections) connection.closeSync()
      // After a failure nobody knows what it holds on to, memory for one.
      await (hasFailed ? discardDuckDb(duckDb) : pool.giveBack(duckDb))
    },
  }
}

const firstRows = async (connection: DuckDBConnection, sql: string, most: ShownRows): Promise<FirstRows> => {
  const result = await connection.stream(sql)
  const names = result.deduplicatedColumnNames()
  const columns = names.map((name, index) => ({ name, type: String(result.columnType(index)) }))
  const rows: Json[][] = []
  let bytes = bytesInReply(columns)
  if (bytes > most.bytes)
    throw new Error('Out of Memory Error: The columns alone are more than a reply holds.')
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk())
    for (let index = 0; index < chunk.rowCount; index++) {
      const row = chunk.convertRowValues(index, JsonDuckDBValueConverter)
      bytes += bytesInReply(row)
      if (rows.length === most.rows || bytes > most.bytes) return { columns, rows, isTruncated: true }
      rows.push(row)
    }
  return { columns, rows, isTruncated: false }
}
