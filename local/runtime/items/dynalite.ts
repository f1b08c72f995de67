import type { Server } from 'node:http'
import { createRequire } from 'node:module'

export type Write =
  | { readonly type: 'put'; readonly key: string; readonly value: unknown }
  | { readonly type: 'del'; readonly key: string }

/** What is used of a LevelDB (the package abstract-level). */
export interface Level {
  open(): Promise<void>
  close(): Promise<void>
  batch(writes: readonly Write[], options: { sync: boolean }): Promise<void>
  /** Key and value of each entry in the range. */
  entries(range: { gte: string; lt: string }): AsyncIterable<[string, unknown]>
}

type Callback<Value = unknown> = (error: Error | null, value?: Value) => void

interface Entries {
  next(): Promise<unknown>
  close(): Promise<void>
}

/** dynalite's own database: its members take callbacks, those of its prototype are abstract-level's. */
interface CallbackLevel {
  get(key: string, callback: Callback): void
  put(key: string, value: unknown, callback: Callback): void
  del(key: string, callback: Callback): void
  batch(writes: Write[], callback: Callback): void
  keys(options: object): Pick<Entries, 'next'>
  values(options: object): Pick<Entries, 'next'>
}

export interface DynaliteStore {
  readonly db: CallbackLevel
  readonly lifecycleManager: {
    /** Closing waits for it. */
    trackOperation(operation: Promise<unknown>): Promise<unknown>
  }
}

interface DynaliteOptions {
  readonly path: string
  readonly createTableMs: number
  readonly deleteTableMs: number
  readonly updateTableMs: number
  /** Ours: given the store that dynalite makes for the server. */
  readonly onStore: (store: DynaliteStore) => void
}

// Two CommonJS modules without types: their exports are what the interfaces here say.
const load = createRequire(import.meta.url)
const createServer = load('dynalite') as (options: DynaliteOptions) => Server
const stores = load('dynalite/db') as { create: (options: Partial<DynaliteOptions>) => DynaliteStore }

// The server keeps its store to itself; it makes it through this export.
const createStore = stores.create
stores.create = options => {
  const store = createStore(options)
  options.onStore?.(store)
  return store
}

/** dynalite on this folder, and the store under it. */
export const createDynalite = (path: string): { server: Server; store: DynaliteStore } => {
  const made: DynaliteStore[] = []
  const times = { createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 }
  const server = createServer({ path, ...times, onStore: store => made.push(store) })
  const [store] = made
  if (!store) throw new Error('dynalite has made no store')
  return { server, store }
}

/**
 * Puts `write` in the place of dynalite's own writing, and turns every error of the database into one that `asAnswer`
 * makes: dynalite answers an error that has a status, and throws any other where nobody can catch it.
 *
 * The result is the database itself, past dynalite's callbacks.
 */
export const levelOf = (
  { db, lifecycleManager }: DynaliteStore,
  asAnswer: (error: unknown) => Error,
  write: (write: Write) => Promise<void>,
): Level => {
  // The methods of the class, which the members that dynalite sets on the object hide.
  const methods = Object.getPrototypeOf(db) as Omit<Level, 'entries'> & {
    iterator: Level['entries']
    getSync(key: string): unknown
    keys(options: object): Entries
    values(options: object): Entries
  }
  const answer = (operation: Promise<unknown>, callback: Callback): void => {
    // Once the database is closed, what is tracked is another promise, and nobody would handle this one.
    operation.catch(() => {})
    lifecycleManager.trackOperation(operation).then(
      value => setImmediate(callback, null, value),
      error => setImmediate(callback, 'statusCode' in error ? error : asAnswer(error)),
    )
  }
  // From memory nearly always, so that asking another thread for it would take longer than the reading.
  db.get = (key, callback) => {
    try {
      setImmediate(callback, null, methods.getSync.call(db, key))
    } catch (error) {
      setImmediate(callback, asAnswer(error))
    }
  }
  db.put = (key, value, callback) => answer(write({ type: 'put', key, value }), callback)
  db.del = (key, callback) => answer(write({ type: 'del', key }), callback)
  db.batch = (writes, callback) => answer(Promise.all(writes.map(write)), callback)

  const guard = (open: (options: object) => Entries) => (options: object) => {
    let entries: Entries | undefined
    return {
      next: async () => {
        try {
          entries ??= open.call(db, options)
          return await entries.next()
        } catch (error) {
          throw asAnswer(error)
        }
      },
      return: async () => entries?.close(),
    }
  }
  db.keys = guard(methods.keys)
  db.values = guard(methods.values)

  return {
    open: () => methods.open.call(db),
    close: () => methods.close.call(db),
    batch: (writes, options) => methods.batch.call(db, writes, options),
    entries: range => methods.iterator.call(db, range),
  }
}
