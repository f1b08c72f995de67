import { z } from 'zod'
import { TransientError } from '../../errors/errors.ts'
import { expiringIn } from '../db/item-expiry.ts'
import type { ItemTable } from '../db/item-table.ts'
import { OVERTAKEN, untilWritten } from '../db/until-written.ts'

const dayRecord = z.object({ tableIds: z.array(z.string()), bytes: z.number(), revision: z.number() })

const KEPT_DAYS = 3
const busy = () => new TransientError('storage.tables.busy', 'Several runs use the bytes of the day at once.')

/** `known`: the table was asked for on that day already. `left`: bytes that others have not used. */
type Taken = { outcome: 'taken' | 'known' } | { outcome: 'over'; left: number }

/** What may be rewritten by queries on one day (UTC), and for which tables it was used. */
export const createPackingLedger = (items: ItemTable) => ({
  /** Uses a part of the day's bytes for a table, once. A job that is never made has used them too. */
  take(
    at: Date,
    { tableId, bytes, bytesPerDay }: { tableId: string; bytes: number; bytesPerDay: number },
  ): Promise<Taken> {
    const key = { pk: 'PACKING', sk: at.toISOString().slice(0, 10) }
    return untilWritten(busy, async () => {
      const item = await items.get(key)
      const day = item ? dayRecord.parse(item) : { tableIds: [], bytes: 0, revision: 0 }
      if (day.tableIds.includes(tableId)) return { outcome: 'known' }
      const left = bytesPerDay - day.bytes
      if (bytes > left) return { outcome: 'over', left }
      const next = {
        tableIds: [...day.tableIds, tableId],
        bytes: day.bytes + bytes,
        revision: day.revision + 1,
        ...expiringIn(KEPT_DAYS, at),
      }
      const isFirst = await items.put(key, next, item ? { revision: day.revision } : 'absent')
      return isFirst ? { outcome: 'taken' } : OVERTAKEN
    })
  },
})

export type PackingLedger = ReturnType<typeof createPackingLedger>
