import { z } from 'zod'
import { hexDigest } from '../../digests.ts'
import { expiringIn, isExpired } from '../db/item-expiry.ts'
import { type ItemTable, itemExpiryName } from '../db/item-table.ts'

/** Fruitless tries to sign in, of one address or with one token, that are answered within the time below. */
export const MOST_TRIES = 10

export const TRIES_COUNT_MINUTES = 10
const COUNT_DAYS = TRIES_COUNT_MINUTES / (24 * 60)

const triesRecord = z.object({ tries: z.number(), [itemExpiryName]: z.number() })

/** Counts tries to sign in. A try counts before its token is looked at, so that tries at once count, too. */
export const createSignInTries = (items: ItemTable, now: () => Date) => {
  const keyOf = (of: string) => ({ pk: `SIGN_IN#${hexDigest(of)}`, sk: 'TRIES' })

  return {
    /** `of`: what is counted, such as an address. Resolves to false when there were too many. */
    async mayTry(of: string): Promise<boolean> {
      const key = keyOf(of)
      // Whoever is overtaken so often comes after as many others.
      for (let overtaken = 0; overtaken < MOST_TRIES; overtaken++) {
        const item = await items.get(key)
        const stored = item && triesRecord.parse(item)
        const counted =
          stored === undefined || isExpired(stored, now())
            ? { tries: 1, ...expiringIn(COUNT_DAYS, now()) }
            : { ...stored, tries: stored.tries + 1 }
        if (counted.tries > MOST_TRIES) return false
        if (await items.put(key, counted, stored ?? 'absent')) return true
      }
      return false
    },

    /** Somebody has signed in: the tries before were no guesses. */
    forget: async (of: string): Promise<void> => {
      await items.delete(keyOf(of))
    },
  }
}

export type SignInTries = ReturnType<typeof createSignInTries>
