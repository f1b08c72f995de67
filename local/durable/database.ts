import { existsSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { DurableFiles } from './durable-files.ts'

const sqliteBusy = 5
const sqliteCorrupt = 11
const sqliteNotADatabase = 26

interface Waiting {
  /** Runs inside the transaction; gives what to do when it is committed. */
  work: () => () => void
  reject: (error: unknown) => void
}

interface DatabaseOptions {
  readonly files: DurableFiles
  /** Statements that make what is missing. */
  readonly schema: string
  /** What is in it, for the sentence about a damaged one. */
  readonly holds: string
}

/**
 * One SQLite file (`node:sqlite`), with one writer.
 *
 * Calls are synchronous and take microseconds, and because nothing else runs between two statements a check and its write
 * cannot be separated: of 20 racers for one name exactly one wins. A start needs no rebuild.
 *
 * What is synced: WAL with `synchronous = FULL`, so COMMIT returns when its pages are on the disk. Transactions that
 * wait at the same time share one COMMIT, and so one sync. With relaxed durability `NORMAL`: after a power cut the last
 * transactions may be missing, never half there.
 */
export class Database {
  /** There was no database before. */
  readonly isNew: boolean
  readonly #path: string
  readonly #files: DurableFiles
  readonly #connection: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #waiting: Waiting[] = []

  constructor(path: string, { files, schema, holds }: DatabaseOptions) {
    this.#path = path
    this.#files = files
    this.isNew = !existsSync(path) || statSync(path).size === 0
    this.#connection = new DatabaseSync(path)
    try {
      this.#connection.exec('PRAGMA journal_mode = WAL')
      this.#connection.exec(`PRAGMA synchronous = ${files.durability === 'full' ? 'FULL' : 'NORMAL'}`)
      this.#connection.exec('PRAGMA cache_size = -16384')
      this.#connection.exec(schema)
      files.databaseSynced(dirname(path))
    } catch (error) {
      this.#connection.close()
      throw openingError(error, path, holds)
    }
  }

  /** Runs `work` as one transaction; when it throws, nothing of it has happened. Resolves when it is synced. */
  transaction<Result>(work: () => Result): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const workAndAnswer = () => {
      const result = work()
      return () => resolve(result)
    }
    if (this.#waiting.push({ work: workAndAnswer, reject }) === 1) setImmediate(() => this.#commitWaiting())
    return promise
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    // Each row was written by this folder's own statements into the columns of schema.ts; the caller names its shape.
    return this.#prepared(sql).all(...values) as Row[]
  }

  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    // As above.
    return this.#prepared(sql).get(...values) as Row | undefined
  }

  /** Inside a transaction; outside of one it is a transaction of its own, and blocks until that is synced. */
  run(sql: string, ...values: SQLInputValue[]): void {
    this.#prepared(sql).run(...values)
    if (!this.#connection.isTransaction) this.#files.databaseSynced(dirname(this.#path))
  }

  /** A new row, its values by the names of their columns. */
  insert(table: string, row: object): void {
    const columns = Object.keys(row)
    const values: SQLInputValue[] = Object.values(row)
    this.run(`INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => '?')})`, ...values)
  }

  /** A number larger than every one before it, also across restarts. Call inside a transaction. */
  nextNumber(): number {
    const row = this.get<{ value: number }>('UPDATE counter SET value = value + 1 RETURNING value')
    if (row === undefined) throw new Error('The counter row is missing from the database')
    return row.value
  }

  close(): void {
    this.#commitWaiting()
    this.#connection.close()
  }

  /** One transaction for all: each is undone alone when it throws, and all fail together when the commit does. */
  #commitWaiting(): void {
    const group = this.#waiting
    this.#waiting = []
    if (group.length === 0) return
    const answers: (() => void)[] = []
    try {
      this.#connection.exec('BEGIN IMMEDIATE')
      for (const waiting of group) answers.push(this.#runOne(waiting))
      this.#connection.exec('COMMIT')
    } catch (error) {
      // SQLite ends a transaction by itself when the disk is full.
      if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK')
      for (const { reject } of group) reject(error)
      return
    }
    this.#files.databaseSynced(dirname(this.#path))
    for (const answer of answers) answer()
  }

  #runOne({ work, reject }: Waiting): () => void {
    this.#connection.exec('SAVEPOINT one')
    try {
      const answer = work()
      this.#connection.exec('RELEASE one')
      return answer
    } catch (error) {
      if (!this.#connection.isTransaction) throw error
      this.#connection.exec('ROLLBACK TO one')
      this.#connection.exec('RELEASE one')
      return () => reject(error)
    }
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#connection.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

const openingError = (error: unknown, path: string, holds: string): unknown => {
  if (!(error instanceof Error && 'errcode' in error)) return error
  if (error.errcode === sqliteBusy) return new Error(`${path} is in use by another server`, { cause: error })
  if (error.errcode === sqliteCorrupt || error.errcode === sqliteNotADatabase)
    return new Error(
      `The database ${path} of ${holds} is damaged (${error.message}). Restore the data directory from a copy, or start with ` +
        `another one (MILLRACE_DATA_DIR). Do not remove ${basename(path)} alone: what lies beside it has no names without it.`,
      { cause: error },
    )
  return error
}
