import { TransientError } from '../../errors/errors.ts'
import type { Condition, Item, ItemTable, ItemWrite, Refusal } from '../../items/item-table.ts'
import { idSortKey, type NextId } from './ids.ts'
import { type IdRange, querySpread, shardOf } from './spread.ts'

/** Each further attempt means that another process took the id in the same moment, or that it cannot be used any more. */
const MAX_ID_ATTEMPTS = 10

/**
 * Records with time-ordered ids, spread over several partitions: a detail is one read, and a list takes the newest of each.
 *
 * `kind` names the partitions (`FILES`, `JOBS`). `parse` reads a stored item.
 */
export const createSpreadRecords = <Stored extends { id: number }>(
  items: ItemTable,
  kind: string,
  parse: (item: Item) => Stored,
) => {
  const keyOf = (id: number) => ({ pk: shardOf(kind, id), sk: idSortKey(id) })

  const read = (item: Item | undefined): Stored | undefined => item && parse(item)

  /** Stores the record. Resolves to false when its id is taken. */
  const insert = (record: Stored): Promise<boolean> => items.put(keyOf(record.id), { ...record }, 'absent')

  const writing = (record: Stored, when: Condition): ItemWrite => ({
    action: 'put',
    key: keyOf(record.id),
    item: { ...record },
    when,
  })

  return {
    insert,

    /** Stores the record together with other items. Resolves to those that refuse it. */
    insertWith: (record: Stored, ...others: readonly ItemWrite[]): Promise<Refusal[]> =>
      items.transact([writing(record, 'absent'), ...others]),

    /** The write of a record, for a transaction. */
    writing,

    async get(id: number): Promise<Stored | undefined> {
      return read(await items.get(keyOf(id)))
    },

    /** The records that exist under these ids, in the order of the ids. */
    async getMany(ids: readonly number[]): Promise<Stored[]> {
      const records = (await items.getMany(ids.map(keyOf))).map(read)
      const found = new Map(records.flatMap(record => (record ? [[record.id, record]] : [])))
      return ids.map(id => found.get(id)).filter(record => record !== undefined)
    },

    /**
     * Stores what `make` returns for a new id, by `store` if it is given: that resolves to false when the id cannot be
     * used. Never overwrites another process's record. Error: `storage.unavailable` when no id was free.
     */
    async create(nextId: NextId, make: (id: number) => Stored, store = insert): Promise<Stored> {
      for (let attempt = 0; attempt < MAX_ID_ATTEMPTS; attempt++) {
        const record = make(nextId())
        if (await store(record)) return record
      }
      throw new TransientError('storage.unavailable', `Too many records are stored at once (${kind}).`)
    },

    /** Resolves to false when the stored record has not these values, or is gone. */
    replace: (record: Stored, when: Record<string, string | number>): Promise<boolean> =>
      items.put(keyOf(record.id), { ...record }, when),

    async delete(id: number): Promise<void> {
      await items.delete(keyOf(id))
    },

    /** Newest first. */
    async *list(range: IdRange = {}): AsyncGenerator<Stored> {
      for await (const item of querySpread(items, kind, range)) yield parse(item)
    },
  }
}

export type SpreadRecords<Stored extends { id: number }> = ReturnType<typeof createSpreadRecords<Stored>>
