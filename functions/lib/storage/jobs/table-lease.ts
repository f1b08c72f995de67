import type { LeaseStore } from '../../aws/lease.ts'
import type { ItemTable } from '../db/item-table.ts'

interface TableLease {
  /** Id of a job. */
  owner: number
}

/** The right to change one table, held by one job at a time. Its item lies beside the entries of the table's queue. */
export const createTableLeaseStore = (
  items: ItemTable,
  tableId: string,
): LeaseStore<TableLease, undefined> => {
  // Version 0.1 gave the item its name.
  const key = { pk: `QUEUE#${tableId}`, sk: 'CLAIM' }
  const content = { content: undefined }

  const holder = async (): Promise<TableLease | undefined> => {
    const item = await items.get(key)
    return item && { owner: Number(item['owner']) }
  }

  return {
    holder,

    take: async ({ owner }, from) => {
      if (await items.put(key, { owner }, from === undefined ? 'absent' : { owner: from })) return content
      return (await holder())?.owner === owner ? content : undefined
    },

    release: async owner => {
      await items.delete(key, { owner })
    },
  }
}
