import { z } from 'zod'
import type { ItemTable } from '../../items/item-table.ts'

const ticketRecord = z.object({ last: z.number() })

/** Numbers that always grow. */
export const createTicketStore = (items: ItemTable) => ({
  async next(): Promise<number> {
    const item = await items.update({ pk: 'TICKETS', sk: 'LAST' }, { add: { last: 1 } })
    return ticketRecord.parse(item).last
  },
})
