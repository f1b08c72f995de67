import { z } from 'zod'
import { TransientError } from '../../errors/errors.ts'
import { createLine } from '../db/create-line.ts'
import type { ItemTable } from '../db/item-table.ts'

const ticketRecord = z.object({ last: z.number() })

const MAX_ATTEMPTS = 50

/** Numbers that always grow: each is stored on condition that it follows the last one. */
export const createTicketStore = (items: ItemTable) => {
  const key = { pk: 'TICKETS', sk: 'LAST' }
  const inLine = createLine()

  return {
    next: (): Promise<number> =>
      inLine('tickets', async () => {
        for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
          const item = await items.get(key)
          const last = item && ticketRecord.parse(item).last
          const next = (last ?? 0) + 1
          if (await items.put(key, { last: next }, last === undefined ? 'absent' : { last })) return next
        }
        throw new TransientError('storage.tickets.busy', 'Too many tickets are asked for at once.')
      }),
  }
}
