import { z } from 'zod'
import { TransientError } from '../../errors/errors.ts'
import type { ItemTable } from '../../items/item-table.ts'
import { OVERTAKEN, untilWritten } from '../db/until-written.ts'

const ticketRecord = z.object({ last: z.number() })

const MAX_ATTEMPTS = 50
const busy = () => new TransientError('storage.tickets.busy', 'Too many tickets are asked for at once.')

/** Numbers that always grow: each is stored on condition that it follows the last one. */
export const createTicketStore = (items: ItemTable) => {
  const key = { pk: 'TICKETS', sk: 'LAST' }
  let before: Promise<unknown> = Promise.resolve()

  const take = async () => {
    const item = await items.get(key)
    const last = item && ticketRecord.parse(item).last
    const next = (last ?? 0) + 1
    const isFirst = await items.put(key, { last: next }, last === undefined ? 'absent' : { last })
    return isFirst ? next : OVERTAKEN
  }
  const inTurn = () => untilWritten(busy, take, MAX_ATTEMPTS)

  return {
    /** One at a time within this process, which only saves retries. */
    next: (): Promise<number> => {
      const mine = before.then(inTurn, inTurn)
      before = mine
      return mine
    },
  }
}
