import { z } from 'zod'
import { hexDigest } from '../../digests.ts'
import { UserError } from '../../errors/errors.ts'
import { expiringIn, type Item, type ItemTable, isExpired, itemExpiryName } from '../../items/item-table.ts'

const KEPT_DAYS = 30

const claimRecord = z.object({ id: z.number(), fingerprint: z.string(), [itemExpiryName]: z.number() })

export interface IdempotentRequest {
  /** Scope of the key: the same key for another operation or from another token is another key. */
  scope: string
  key: string
  /** The request itself. Only the same request may be sent again with the key. */
  request: unknown
}

/**
 * Remembers for 30 days which id belongs to a key. The key is claimed before anything is created. So parallel requests
 * all get the same id, and each can finish what a crashed one began.
 */
export const createIdempotencyStore = (items: ItemTable, now: () => Date) => {
  const itemKey = (request: IdempotentRequest) => ({ pk: `IDEMPOTENCY#${requestKeyOf(request)}`, sk: 'KEY' })
  const claimItem = (request: IdempotentRequest, id: number) => ({
    id,
    fingerprint: fingerprintOf(request),
    ...expiringIn(KEPT_DAYS, now()),
  })

  return {
    /** The id of the key, if known. Refuses a key that was used for another request. */
    async findId(request: IdempotentRequest): Promise<number | undefined> {
      const item = await items.get(itemKey(request))
      return item && !isExpired(item, now()) ? idOfEqualRequest(item, request) : undefined
    },

    /** The id of the key; `candidate` when the key is new. Refuses a key that was used for another request. */
    async claimId(request: IdempotentRequest, candidate: number): Promise<number> {
      const claim = claimItem(request, candidate)
      if (await items.put(itemKey(request), claim, 'absent')) return candidate
      const found = await items.get(itemKey(request))
      if (found && !isExpired(found, now())) return idOfEqualRequest(found, request)
      if (await items.put(itemKey(request), claim, found ? exactly(found) : 'absent')) return candidate
      // Another request with the key was faster.
      return idOfEqualRequest(await items.get(itemKey(request)), request)
    },

    /** Gives the key another id, when another process has taken the first. */
    moveId: (request: IdempotentRequest, from: number, to: number): Promise<boolean> =>
      items.put(itemKey(request), claimItem(request, to), { id: from }),
  }
}

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>

const exactly = (item: Item) => {
  const { id, [itemExpiryName]: expiry } = claimRecord.parse(item)
  return { id, [itemExpiryName]: expiry }
}

const idOfEqualRequest = (item: unknown, request: IdempotentRequest): number => {
  const { id, fingerprint } = claimRecord.parse(item)
  if (fingerprint !== fingerprintOf(request))
    throw new UserError(
      'storage.idempotencyKeyReused',
      'This Idempotency-Key was used for another request. Send a new key with a new request.',
    )
  return id
}

const fingerprintOf = ({ request }: IdempotentRequest): string => hexDigest(JSON.stringify(request))

/**
 * Identifies the key of one caller and operation without revealing it. Stored in the record that was created with it.
 */
export const requestKeyOf = ({ scope, key }: IdempotentRequest): string => hexDigest(`${scope}\n${key}`)
