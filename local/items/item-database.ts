import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { checkItem } from '#lib/items/item-limits.ts'
import {
  type Condition,
  type Item,
  type ItemChange,
  type ItemKey,
  type ItemRange,
  type ItemStore,
  type ItemWrite,
  isExpired,
  itemExpiryName,
  MAX_PAGE_SIZE,
} from '#lib/items/item-table.ts'
import { Database } from '../durable/database.ts'
import type { DurableFiles } from '../durable/durable-files.ts'

// Keys are compared by the bytes of their UTF-8, as DynamoDB compares them.
const schema = `
  CREATE TABLE IF NOT EXISTS items (
    "table" TEXT NOT NULL,
    pk TEXT NOT NULL,
    sk TEXT NOT NULL,
    attributes TEXT NOT NULL,
    expires_at INTEGER,
    PRIMARY KEY ("table", pk, sk)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS items_by_expiry ON items (expires_at) WHERE expires_at IS NOT NULL;
`

const WHERE = '"table" = ? AND pk = ? AND sk = ?'
const MOST_PAGE_BYTES = 1_000_000
const EXPIRED_AT_ONCE = 1000

/** The items of all tables of one machine: one SQLite file, whose only writer is this thread. */
export class ItemDatabase {
  readonly #database: Database

  /** @param folder made when missing */
  static async open(folder: string, files: DurableFiles): Promise<ItemDatabase> {
    await files.makeFolder(folder)
    const database = new Database(join(folder, 'items.db'), { files, schema, holds: 'the items' })
    try {
      await files.syncFolder(folder)
    } catch (error) {
      database.close()
      throw error
    }
    return new ItemDatabase(database)
  }

  /** For tests: gone with the process. */
  static inMemory(files: DurableFiles): ItemDatabase {
    return new ItemDatabase(new Database(':memory:', { files, schema, holds: 'the items' }))
  }

  private constructor(database: Database) {
    this.#database = database
  }

  table(name: string): ItemStore {
    const get = (key: ItemKey): Item | undefined => this.#find(name, key)
    return {
      get: async key => get(key),
      getMany: async keys => keys.map(get).filter(item => item !== undefined),
      swap: (key, attributes, when) =>
        this.#database.transaction(() => {
          const found = get(key)
          if (!holds(found, when)) return undefined
          if (attributes) this.#store(name, key, attributes)
          else if (found) this.#delete(name, key)
          return found ?? {}
        }),
      putAll: all =>
        this.#database.transaction(() => {
          for (const item of all) this.#store(name, item, item)
        }),
      update: (key, change, when) =>
        this.#database.transaction(() => {
          const found = get(key)
          if (!holds(found, when)) return undefined
          this.#change(name, key, change)
          return get(key)
        }),
      transact: writes =>
        this.#database.transaction(() => {
          const refused = writes.flatMap(({ key, when }) => {
            const found = get(key)
            return holds(found, when) ? [] : [{ key, found }]
          })
          if (refused.length === 0) for (const write of writes) this.#write(name, write)
          return refused
        }),
      page: async (pk, range, after) => this.#page(name, pk, range, after),
    }
  }

  /** Deletes the items whose time is over, some at a time. Resolves to their number. */
  async expire(now: Date, { pauseMs, signal }: { pauseMs: number; signal: AbortSignal }): Promise<number> {
    const due = Math.floor(now.getTime() / 1000)
    for (let expired = 0; ; ) {
      const deleted = await this.#database.transaction(
        () =>
          this.#database.all(
            `DELETE FROM items WHERE rowid IN
              (SELECT rowid FROM items WHERE expires_at <= ? LIMIT ${EXPIRED_AT_ONCE}) RETURNING 1`,
            due,
          ).length,
      )
      expired += deleted
      if (deleted < EXPIRED_AT_ONCE) return expired
      await pause(pauseMs, undefined, { signal })
    }
  }

  close(): void {
    this.#database.close()
  }

  #find(table: string, { pk, sk }: ItemKey): Item | undefined {
    const row = this.#database.get<Row>(`SELECT sk, attributes FROM items WHERE ${WHERE}`, table, pk, sk)
    return row && itemOf(row)
  }

  #store(table: string, { pk, sk }: ItemKey, attributes: Item): void {
    const expiresAt = attributes[itemExpiryName]
    this.#database.run(
      'INSERT OR REPLACE INTO items ("table", pk, sk, attributes, expires_at) VALUES (?, ?, ?, ?, ?)',
      table,
      pk,
      sk,
      JSON.stringify({ ...attributes, pk, sk }),
      typeof expiresAt === 'number' ? Math.ceil(expiresAt) : null,
    )
  }

  #change(table: string, key: ItemKey, change: ItemChange): void {
    const item = { ...changed(this.#find(table, key) ?? {}, change), pk: key.pk, sk: key.sk }
    checkItem(item)
    this.#store(table, key, item)
  }

  #delete(table: string, { pk, sk }: ItemKey): void {
    this.#database.run(`DELETE FROM items WHERE ${WHERE}`, table, pk, sk)
  }

  #write(table: string, write: ItemWrite): void {
    if (write.action === 'put') this.#store(table, write.key, write.item)
    if (write.action === 'update') this.#change(table, write.key, write.change)
    if (write.action === 'delete') this.#delete(table, write.key)
  }

  #page(
    table: string,
    pk: string,
    { from, to, newestFirst = false, pageSize = MAX_PAGE_SIZE, attributes }: ItemRange,
    after: string | undefined,
  ) {
    const [first, order] = newestFirst ? ['<', 'DESC'] : ['>', 'ASC']
    const rows = this.#database.all<Row>(
      `SELECT sk, attributes FROM items WHERE "table" = ? AND pk = ? AND sk BETWEEN ? AND ?
        ${after === undefined ? '' : `AND sk ${first} ?`} ORDER BY sk ${order} LIMIT ${pageSize}`,
      ...[table, pk, from, to],
      ...(after === undefined ? [] : [after]),
    )
    let bytes = 0
    const fitting = rows.filter((row, index) => {
      bytes += row.attributes.length
      return index === 0 || bytes <= MOST_PAGE_BYTES
    })
    const isLast = fitting.length === rows.length && rows.length < pageSize
    return {
      items: fitting.map(row => pick(itemOf(row), attributes)),
      after: isLast ? undefined : fitting.at(-1)?.sk,
    }
  }
}

interface Row {
  sk: string
  attributes: string
}

const itemOf = ({ attributes }: Row): Item => JSON.parse(attributes)

const holds = (found: Item | undefined, when: Condition | undefined): boolean => {
  if (when === undefined) return true
  if (when === 'absent') return found === undefined
  if (when instanceof Date) return found === undefined || isExpired(found, when)
  return Object.entries(when).every(([name, value]) => found?.[name] === value)
}

const changed = (item: Item, { add = {}, set = {}, remove = [] }: ItemChange): Item => {
  const sums = Object.entries(add).map(([name, more]) => [name, Number(item[name] ?? 0) + more])
  const next = { ...item, ...Object.fromEntries(sums), ...set }
  return Object.fromEntries(Object.entries(next).filter(([name]) => !remove.includes(name)))
}

const pick = (item: Item, names: readonly string[] | undefined): Item =>
  names ? Object.fromEntries(names.filter(name => name in item).map(name => [name, item[name]])) : item
