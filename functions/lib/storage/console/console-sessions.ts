import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { digestBytes, hexDigest } from '../../digests.ts'
import { expiringIn, type Item, type ItemTable, isExpired } from '../../items/item-table.ts'
import { openText, sealText } from '../secrets/sealed-secret.ts'

/** A working day: who comes back the next one signs in again. */
const KEPT_DAYS = 0.5

/** From the command that makes a link to the browser that it opens. */
const LINK_MINUTES = 2

/** 256 random bits: nobody can guess them, so a plain digest may be stored. */
const ID_BYTES = 32

const sealedRecord = z.object({ sealedToken: z.string() })

/**
 * Sessions of the console, for twelve hours each. The browser has a random id; the item lies under its digest and holds the token sealed
 * under a key made of the id. So neither of the two gives the token without the other. A link that signs in once is kept likewise.
 */
export const createConsoleSessions = (items: ItemTable, now: () => Date) => {
  const keyOf = (id: string) => ({ pk: `CONSOLE_SESSION#${hexDigest(id)}`, sk: 'SESSION' })
  const linkKeyOf = (id: string) => ({ pk: `CONSOLE_LINK#${hexDigest(id)}`, sk: 'LINK' })
  const sealKeyOf = (id: string) => digestBytes(`token of the session ${id}`)
  const keep = async (
    keyFor: typeof keyOf | typeof linkKeyOf,
    token: string,
    days: number,
  ): Promise<string> => {
    const id = randomBytes(ID_BYTES).toString('base64url')
    await items.put(keyFor(id), { sealedToken: sealText(sealKeyOf(id), token), ...expiringIn(days, now()) })
    return id
  }
  const tokenIn = (id: string, item: Item | undefined): string | undefined => {
    const { data } = sealedRecord.safeParse(item)
    return data && item && !isExpired(item, now()) ? openText(sealKeyOf(id), data.sealedToken) : undefined
  }

  return {
    /** Resolves to the id of a new session. */
    begin: (token: string): Promise<string> => keep(keyOf, token, KEPT_DAYS),

    /** `undefined` when there is no such session, or none any more. */
    tokenOf: async (id: string): Promise<string | undefined> => tokenIn(id, await items.get(keyOf(id))),

    /** Resolves to the id of a link, which is taken once and soon. */
    offerLink: (token: string): Promise<string> => keep(linkKeyOf, token, LINK_MINUTES / (24 * 60)),

    /** The token of a link that nobody has taken. */
    takeLink: async (id: string): Promise<string | undefined> =>
      tokenIn(id, await items.swap(linkKeyOf(id), undefined)),

    end: async (id: string): Promise<void> => {
      await items.delete(keyOf(id))
    },
  }
}

export type ConsoleSessions = ReturnType<typeof createConsoleSessions>
