import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { schema } from './schema.ts'

const sqliteBusy = 5

/**
 * The server's books: one SQLite file (`node:sqlite`) that holds everything except the bytes of the objects.
 *
 * Why SQLite and not an index in memory: keys are BLOBs, so the B-tree's own order is UTF-8 byte order and a listing
 * is a seek; a commit of an object, the retreat of the one before it and its pending event are one transaction;
 * start needs no rebuild. Calls are synchronous and take microseconds, and because nothing else runs between two
 * statements a check and its write cannot be separated: of 20 racers with `If-None-Match: *` exactly one wins.
 *
 * What is synced: WAL with `synchronous = NORMAL`. A killed process loses nothing, since the pages are in the kernel's
 * cache when COMMIT returns. After a power cut the last transactions may be missing, never half there.
 */
export class Database {
  readonly #connection: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(path: string) {
    this.#connection = new DatabaseSync(path)
    try {
      // Exclusive: a second server on the same folder would sweep away the first one's unfinished uploads.
      this.#connection.exec('PRAGMA locking_mode = EXCLUSIVE')
      this.#connection.exec('PRAGMA journal_mode = WAL')
      this.#connection.exec('PRAGMA synchronous = NORMAL')
      this.#connection.exec('PRAGMA cache_size = -16384')
      this.#connection.exec(schema)
    } catch (error) {
      this.#connection.close()
      if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy)
        throw new Error(`${path} is in use by another server`, { cause: error })
      throw error
    }
  }

  /** Runs `work` as one transaction; when it throws, nothing of it has happened. */
  transaction<Result>(work: () => Result): Result {
    this.#connection.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.#connection.exec('COMMIT')
      return result
    } catch (error) {
      this.#connection.exec('ROLLBACK')
      throw error
    }
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    // Each row was written by this folder's own statements into the columns of schema.ts; the caller names its shape.
    return this.#prepared(sql).all(...values) as Row[]
  }

  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    // As above.
    return this.#prepared(sql).get(...values) as Row | undefined
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.#prepared(sql).run(...values)
  }

  /** A number larger than every one before it, also across restarts. Call inside a transaction. */
  nextNumber(): number {
    const row = this.get<{ value: number }>('UPDATE counter SET value = value + 1 RETURNING value')
    if (row === undefined) throw new Error('The counter row is missing from the database')
    return row.value
  }

  close(): void {
    this.#connection.close()
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#connection.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}
