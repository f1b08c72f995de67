import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { digestBytes, hexDigest } from '../../digests.ts'
import { expiringIn, isExpired } from '../db/item-expiry.ts'
import type { ItemTable } from '../db/item-table.ts'
import { openText, sealText } from '../secrets/sealed-text.ts'

/** A working day: who comes back the next one signs in again. */
const KEPT_DAYS = 0.5

/** 256 random bits: nobody can guess them, so a plain digest may be stored. */
const ID_BYTES = 32

const sessionRecord = z.object({ sealedToken: z.string() })

/**
 * Sessions of the console, for twelve hours each. The browser has a random id; the item lies under its digest and holds the token sealed
 * under a key made of the id. So neither of the two gives the token without the other.
 */
export const createConsoleSessions = (items: ItemTable, now: () => Date) => {
  const keyOf = (id: string) => ({ pk: `CONSOLE_SESSION#${hexDigest(id)}`, sk: 'SESSION' })
  const sealKeyOf = (id: string) => digestBytes(`token of the session ${id}`)

  return {
    /** Resolves to the id of a new session. */
    async begin(token: string): Promise<string> {
      const id = randomBytes(ID_BYTES).toString('base64url')
      await items.put(keyOf(id), {
        sealedToken: sealText(sealKeyOf(id), token),
        ...expiringIn(KEPT_DAYS, now()),
      })
      return id
    },

    /** `undefined` when there is no such session, or none any more. */
    async tokenOf(id: string): Promise<string | undefined> {
      const item = await items.get(keyOf(id))
      if (item === undefined || isExpired(item, now())) return undefined
      return openText(sealKeyOf(id), sessionRecord.parse(item).sealedToken)
    },

    end: async (id: string): Promise<void> => {
      await items.delete(keyOf(id))
    },
  }
}

export type ConsoleSessions = ReturnType<typeof createConsoleSessions>
