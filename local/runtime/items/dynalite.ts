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
    /** Waits for what is tracked, then closes the database. */
    gracefulClose(): Promise<void>
    forceClose(): Promise<void>
  }
}

/** Status and body of an HTTP response. */
export interface Reply {
  readonly status: number
  readonly body: unknown
}

interface Dynalite {
  readonly store: DynaliteStore
  /** Answers an operation (`GetItem`), also with DynamoDB's own errors. Takes over `input`. Rejects when dynalite itself fails. */
  run(operation: string, input: object): Promise<Reply>
  close(): Promise<void>
}

interface DynaliteOptions {
  readonly path: string
  readonly createTableMs: number
  readonly deleteTableMs: number
  readonly updateTableMs: number
}

/** How dynalite checks the input of an operation. */
interface Rules {
  readonly types: object
  readonly custom?: unknown
}

// CommonJS modules without types: their exports are what the types here say.
const load = createRequire(import.meta.url)
const stores = load('dynalite/db') as { create: (options: DynaliteOptions) => DynaliteStore }
const validations = load('dynalite/validations') as {
  checkTypes: (input: object, types: object) => object
  checkValidations: (input: object, types: object, custom: unknown, store: DynaliteStore) => void
}

const operations = new Map(
  [
    'BatchGetItem',
    'BatchWriteItem',
    'CreateTable',
    'DeleteItem',
    'DeleteTable',
    'DescribeTable',
    'DescribeTimeToLive',
    'GetItem',
    'ListTables',
    'PutItem',
    'Query',
    'Scan',
    'UpdateItem',
    'UpdateTable',
  ].map(name => {
    const file = name[0]?.toLowerCase() + name.slice(1)
    return [
      name,
      {
        rules: load(`dynalite/validations/${file}`) as Rules,
        act: load(`dynalite/actions/${file}`) as (
          store: DynaliteStore,
          input: object,
          done: Callback,
        ) => void,
      },
    ]
  }),
)

/** dynalite on this folder, without its server: that reads each request once more and checks what ours has checked. */
export const createDynalite = (path: string): Dynalite => {
  const store = stores.create({ path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 })

  const answer = async (name: string, input: object): Promise<Reply> => {
    const operation = operations.get(name)
    if (!operation)
      return { status: 400, body: { __type: 'com.amazon.coral.service#UnknownOperationException' } }
    const { types, custom } = operation.rules
    const checked = validations.checkTypes(input, types)
    validations.checkValidations(checked, types, custom, store)
    return new Promise((resolve, reject) => {
      operation.act(store, checked, (error, body) => (error ? reject(error) : resolve({ status: 200, body })))
    })
  }

  return {
    store,
    run: (name, input) => answer(name, input).catch(refusalOf),
    close: async () => {
      const { lifecycleManager } = store
      // What hangs is cut off; the next start opens what is synced.
      await lifecycleManager.gracefulClose().catch(() => lifecycleManager.forceClose().catch(() => {}))
    },
  }
}

/** An error with a status is an answer. */
const refusalOf = (error: unknown): Reply => {
  if (error instanceof Error && 'statusCode' in error && 'body' in error)
    return { status: Number(error.statusCode), body: error.body }
  throw error
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
