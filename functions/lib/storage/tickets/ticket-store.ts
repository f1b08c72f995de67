import { z } from 'zod'
import { TransientError } from '../../errors/errors.ts'
import type { ItemTable } from '../../items/item-table.ts'
import { createLine } from '../db/create-line.ts'
import { OVERTAKEN, untilWritten } from '../db/until-written.ts'

const ticketRecord = z.object({ last: z.number() })

const MAX_ATTEMPTS = 50
const busy = () => new TransientError('storage.tickets.busy', 'Too many tickets are asked for at once.')

/** Numbers that always grow: each is stored on condition that it follows the last one. */
export const createTicketStore = (items: ItemTable) => {
  const key = { pk: 'TICKETS', sk: 'LAST' }
  const inLine = createLine()

  return {
    next: (): Promise<number> =>
      inLine('tickets', () =>
        untilWritten(
          busy,
          async () => {
            const item = await items.get(key)
            const last = item && ticketRecord.parse(item).last
            const next = (last ?? 0) + 1
            const isFirst = await items.put(key, { last: next }, last === undefined ? 'absent' : { last })
            return isFirst ? next : OVERTAKEN
          },
          MAX_ATTEMPTS,
        ),
      ),
  }
}
