import { z } from 'zod'
import { hexDigest } from '../../digests.ts'
import { expiringIn, type ItemTable, isExpired, itemExpiryName } from '../../items/item-table.ts'

const MINUTES_OF_DAY = 24 * 60

/** How much of something there may be within a time that begins with the first of it. */
interface Bound {
  most: number
  minutes: number
}

const countRecord = z.object({ count: z.number(), [itemExpiryName]: z.number() })

const MAX_ATTEMPTS = 10

/** Counts what is taken within a time, whoever asks: tries to sign in, previews, queries. */
export const createCounts = (items: ItemTable, now: () => Date) => {
  const keyOf = (of: string) => ({ pk: `COUNT#${hexDigest(of)}`, sk: 'COUNT' })

  const read = async (of: string) => {
    const item = await items.get(keyOf(of))
    const stored = item && countRecord.parse(item)
    return { stored, count: stored === undefined || isExpired(stored, now()) ? 0 : stored.count }
  }

  return {
    /**
     * Takes one of a bound. It counts at once, so that what is asked for at the same time counts, too. Resolves to false when
     * that would be more than there is.
     *
     * @param of what is counted, such as an address
     */
    async take(of: string, { most, minutes }: Bound): Promise<boolean> {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const { stored, count } = await read(of)
        if (count >= most) return false
        const next =
          stored === undefined || count === 0
            ? { count: 1, ...expiringIn(minutes / MINUTES_OF_DAY, now()) }
            : { ...stored, count: count + 1 }
        if (await items.put(keyOf(of), next, stored ?? 'absent')) return true
      }
      // Whoever is overtaken so often comes after as many others.
      return most > MAX_ATTEMPTS
    },

    /** What was taken is over before its time. */
    async giveBack(of: string): Promise<void> {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const { stored, count } = await read(of)
        if (stored === undefined || count === 0) return
        if (await items.put(keyOf(of), { ...stored, count: count - 1 }, stored)) return
      }
    },

    forget: async (of: string): Promise<void> => {
      await items.delete(keyOf(of))
    },
  }
}

export type Counts = ReturnType<typeof createCounts>
