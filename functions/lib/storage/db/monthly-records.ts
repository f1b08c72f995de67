import { TransientError } from '../../errors/errors.ts'
import {
  type Condition,
  type Item,
  type ItemTable,
  type ItemWrite,
  type Refusal,
  startingWith,
} from '../../items/item-table.ts'
import { idSortKey, monthOfId, type NextId } from './ids.ts'
import { type IdRange, querySpread, shardOf } from './spread.ts'

/** Each further attempt means that another process took the id in the same moment, or that it cannot be used any more. */
const MAX_ID_ATTEMPTS = 10

/**
 * Records with time-ordered ids, by the month of the id: a detail is one read, and a list walks the months backwards. The
 * months that hold records are stored too, so that a list skips empty ones. Each month is spread over several partitions.
 *
 * `kind` names the partitions (`FILES`, `JOBS`). `parse` reads a stored item.
 */
export const createMonthlyRecords = <Stored extends { id: number }>(
  items: ItemTable,
  kind: string,
  parse: (item: Item) => Stored,
) => {
  const notedMonths = new Set<string>()
  const monthPartition = (month: string) => `${kind}#${month}`
  const keyOf = (id: number) => ({ pk: shardOf(monthPartition(monthOfId(id)), id), sk: idSortKey(id) })

  const read = (item: Item | undefined): Stored | undefined => item && parse(item)

  /** Before a record of that id is stored. */
  const noteMonth = async (id: number): Promise<void> => {
    const month = monthOfId(id)
    if (notedMonths.has(month)) return
    await items.put({ pk: `${kind}#MONTHS`, sk: month }, {}, 'absent')
    notedMonths.add(month)
  }

  /** Stores the record. Resolves to false when its id is taken. */
  const insert = async (record: Stored): Promise<boolean> => {
    await noteMonth(record.id)
    return items.put(keyOf(record.id), { ...record }, 'absent')
  }

  const writing = (record: Stored, when: Condition): ItemWrite => ({
    action: 'put',
    key: keyOf(record.id),
    item: { ...record },
    when,
  })

  return {
    insert,
    noteMonth,

    /** Stores the record together with other items. Resolves to those that refuse it. */
    async insertWith(record: Stored, ...others: readonly ItemWrite[]): Promise<Refusal[]> {
      await noteMonth(record.id)
      return items.transact([writing(record, 'absent'), ...others])
    },

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
      const months: string[] = []
      for await (const item of items.query(`${kind}#MONTHS`, { ...startingWith(''), newestFirst: true }))
        months.push(String(item['sk']))
      for (const month of months) {
        if (month < monthOfId(range.sinceId ?? 0)) return
        for await (const item of querySpread(items, monthPartition(month), range)) {
          const record = read(item)
          if (record) yield record
        }
      }
    },
  }
}

export type MonthlyRecords<Stored extends { id: number }> = ReturnType<typeof createMonthlyRecords<Stored>>
