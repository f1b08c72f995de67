import { idSortKey, monthOfId, type NextId } from './ids.ts'
import { type Condition, type Item, type ItemTable, startingWith } from './item-table.ts'

export interface IdRange {
  /** Only ids greater than this one. */
  sinceId?: number | undefined
  /** Only ids smaller than this one. */
  maxId?: number | undefined
}

/** Two processes meet once in thousands of times per millisecond. Five times in a row is a fault. */
const MAX_ID_ATTEMPTS = 5
/** Lists show a hundred by default. */
const PAGE_SIZE = 100

/**
 * Records with time-ordered ids, partitioned by the month of the id: a detail is one read, and a list walks the months
 * backwards. The months that hold records are stored too, so that a list skips empty ones.
 *
 * `kind` names the partitions (`FILES`, `JOBS`). `parse` reads a stored item.
 */
export const createMonthlyRecords = <Stored extends { id: number }>(
  items: ItemTable,
  kind: string,
  parse: (item: Item) => Stored,
) => {
  const notedMonths = new Set<string>()
  const keyOf = (id: number) => ({ pk: `${kind}#${monthOfId(id)}`, sk: idSortKey(id) })

  const noteMonth = async (month: string): Promise<void> => {
    if (notedMonths.has(month)) return
    await items.put({ pk: `${kind}#MONTHS`, sk: month }, {}, 'absent')
    notedMonths.add(month)
  }

  /** Stores the record. Resolves to false when its id is taken. */
  const insert = async (record: Stored): Promise<boolean> => {
    await noteMonth(monthOfId(record.id))
    return items.put(keyOf(record.id), { ...record }, 'absent')
  }

  return {
    insert,

    async get(id: number): Promise<Stored | undefined> {
      const item = await items.get(keyOf(id))
      return item && parse(item)
    },

    /** The records that exist under these ids, in the order of the ids. */
    async getMany(ids: readonly number[]): Promise<Stored[]> {
      const found = new Map(
        (await items.getMany(ids.map(keyOf))).map(parse).map(record => [record.id, record]),
      )
      return ids.map(id => found.get(id)).filter(record => record !== undefined)
    },

    /** Stores what `make` returns for a new id. Never overwrites another process's record. */
    async create(nextId: NextId, make: (id: number) => Stored): Promise<Stored> {
      for (let attempt = 0; attempt < MAX_ID_ATTEMPTS; attempt++) {
        const record = make(nextId())
        if (await insert(record)) return record
      }
      throw new Error(`No free id for a record of ${kind} after ${MAX_ID_ATTEMPTS} attempts`)
    },

    replace: (record: Stored, when: Condition): Promise<boolean> =>
      items.put(keyOf(record.id), { ...record }, when),

    delete: (id: number): Promise<boolean> => items.delete(keyOf(id)),

    /** Newest first. */
    async *list({ sinceId = 0, maxId = Number.MAX_SAFE_INTEGER }: IdRange = {}): AsyncGenerator<Stored> {
      const months: string[] = []
      for await (const item of items.query(`${kind}#MONTHS`, { ...startingWith(''), newestFirst: true }))
        months.push(String(item['sk']))
      const range = {
        from: idSortKey(sinceId + 1),
        to: idSortKey(maxId - 1),
        newestFirst: true,
        pageSize: PAGE_SIZE,
      }
      if (range.from > range.to) return
      for (const month of months) {
        if (month < monthOfId(sinceId)) return
        for await (const item of items.query(`${kind}#${month}`, range)) yield parse(item)
      }
    },
  }
}
