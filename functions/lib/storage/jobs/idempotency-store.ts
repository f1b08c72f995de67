import { createHash } from 'node:crypto'
import { z } from 'zod'
import { UserError } from '../../errors/errors.ts'
import { type ItemTable, itemExpiryName } from '../db/item-table.ts'

const KEPT_DAYS = 30

const claimRecord = z.object({ id: z.number(), fingerprint: z.string() })

export interface IdempotentRequest {
  /** What the key is for: the same key on another operation or by another token is another key. */
  scope: string
  key: string
  /** The request itself; only an equal one may be repeated under the key. */
  request: unknown
}

/**
 * Remembers which id a key stands for, for 30 days. The key is claimed before anything is created, so of many requests
 * at once all learn the one id, and each can complete what a crashed one left undone.
 */
export const createIdempotencyStore = (items: ItemTable, now: () => Date) => {
  const itemKey = (request: IdempotentRequest) => ({ pk: `IDEMPOTENCY#${requestKeyOf(request)}`, sk: 'KEY' })
  const claimItem = (request: IdempotentRequest, id: number) => ({
    id,
    fingerprint: fingerprintOf(request),
    [itemExpiryName]: Math.floor(now().getTime() / 1000) + KEPT_DAYS * 86_400,
  })

  return {
    /** The id that the key stands for, if it is known. Refuses a key that stands for another request. */
    async findId(request: IdempotentRequest): Promise<number | undefined> {
      const item = await items.get(itemKey(request))
      return item && idOfEqualRequest(item, request)
    },

    /** The id that the key stands for: `candidate` when the key is new. Refuses a key that stands for another request. */
    async claimId(request: IdempotentRequest, candidate: number): Promise<number> {
      const claim = claimItem(request, candidate)
      if (await items.put(itemKey(request), claim, 'absent')) return candidate
      return idOfEqualRequest(await items.get(itemKey(request)), request)
    },

    /** Lets the key stand for another id, when its id turned out to be taken by another process. */
    moveId: (request: IdempotentRequest, from: number, to: number): Promise<boolean> =>
      items.put(itemKey(request), claimItem(request, to), { id: from }),
  }
}

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>

const idOfEqualRequest = (item: unknown, request: IdempotentRequest): number => {
  const { id, fingerprint } = claimRecord.parse(item)
  if (fingerprint !== fingerprintOf(request))
    throw new UserError(
      'storage.idempotencyKeyReused',
      'This Idempotency-Key was used for another request. Send a new key with a new request.',
    )
  return id
}

const fingerprintOf = ({ request }: IdempotentRequest): string => sha256(JSON.stringify(request))

/** Names the key of one caller and operation without showing it; kept with the record that was created under it. */
export const requestKeyOf = ({ scope, key }: IdempotentRequest): string => sha256(`${scope}\n${key}`)

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
