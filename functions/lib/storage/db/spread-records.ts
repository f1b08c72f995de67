import { TransientError } from '../../errors/errors.ts'
import type { AttributeCondition, Condition, Item, ItemTable, ItemWrite } from '../../items/item-table.ts'
import type { Once } from './idempotency-store.ts'
import { idSortKey, type NextId } from './ids.ts'
import { type IdRange, querySpread, shardOf } from './spread.ts'

/** Each further attempt means that another process took the id in the same moment. */
const MAX_ID_ATTEMPTS = 10

interface Creation<Stored> {
  /** What is stored with the record. */
  also?: (record: Stored) => readonly ItemWrite[] | Promise<readonly ItemWrite[]>
  /** Default: each request makes another record. */
  once?: Once | undefined
}

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

  const writing = (record: Stored, when: Condition): ItemWrite => ({
    action: 'put',
    key: keyOf(record.id),
    item: { ...record },
    when,
  })

  const get = async (id: number): Promise<Stored | undefined> => {
    const item = await items.get(keyOf(id))
    return item && parse(item)
  }

  return {
    get,

    /** The write of a record, for a transaction. */
    writing,

    /** The records that exist under these ids, in the order of the ids. */
    async getMany(ids: readonly number[]): Promise<Stored[]> {
      if (ids.length === 0) return []
      const records = (await items.getMany(ids.map(keyOf))).map(item => parse(item))
      const found = new Map(records.map(record => [record.id, record]))
      return ids.map(id => found.get(id)).filter(record => record !== undefined)
    },

    /**
     * Stores what `make` returns for a new id, or finds what an earlier attempt of the request has stored. Never
     * overwrites another process's record. Error: `storage.unavailable` when no id was free.
     */
    async create(
      nextId: NextId,
      make: (id: number) => Stored,
      { also = () => [], once }: Creation<Stored> = {},
    ): Promise<Stored> {
      let deleted: number | undefined
      for (let attempt = 0; attempt < MAX_ID_ATTEMPTS; attempt++) {
        const record = make(nextId())
        const claim = once ? [once.idempotency.claiming(once.request, record.id, deleted)] : []
        const writes = [writing(record, 'absent'), ...(await also(record)), ...claim]
        const refused = await items.transact(writes)
        if (refused.length === 0) return record
        const earlier = once?.idempotency.idOfEqual(once.request, refused)
        const stored = earlier === undefined ? undefined : await get(earlier)
        if (stored) return stored
        deleted = earlier
      }
      throw new TransientError('storage.unavailable', `Too many records are stored at once (${kind}).`)
    },

    /** The change of some values of a record, for a transaction. */
    updating: (id: number, set: Partial<Stored>, when: AttributeCondition): ItemWrite => ({
      action: 'update',
      key: keyOf(id),
      change: { set },
      when,
    }),

    /** Likewise. */
    deleting: (id: number): ItemWrite => ({ action: 'delete', key: keyOf(id) }),

    /** Newest first. */
    async *list(range: IdRange = {}): AsyncGenerator<Stored> {
      for await (const item of querySpread(items, kind, range)) yield parse(item)
    },
  }
}

export type SpreadRecords<Stored extends { id: number }> = ReturnType<typeof createSpreadRecords<Stored>>
