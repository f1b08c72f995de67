import { z } from 'zod'
import { hexDigest } from '../../digests.ts'
import { UserError } from '../../errors/errors.ts'
import {
  expiringIn,
  type ItemTable,
  type ItemWrite,
  isExpired,
  itemExpiryName,
  type Refusal,
} from '../../items/item-table.ts'

const KEPT_DAYS = 30

const claimRecord = z.object({ id: z.number(), fingerprint: z.string(), [itemExpiryName]: z.number() })

interface IdempotentRequest {
  /** Scope of the key: the same key for another operation or from another token is another key. */
  scope: string
  key: string
  /** The request itself. Only the same request may be sent again with the key. */
  request: unknown
}

/** Remembers for 30 days which id belongs to a key: it is stored with what is created, in one transaction, or before it. */
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

    /** The write that gives the key this id, for a transaction. It is refused by one that has an id; unless by `instead`, of what is gone. */
    claiming: (request: IdempotentRequest, id: number, instead?: number): ItemWrite => ({
      action: 'put',
      key: itemKey(request),
      item: claimItem(request, id),
      when: instead === undefined ? now() : { id: instead },
    }),

    /** The id of the key, if it is among what refused a transaction. Refuses a key that was used for another request. */
    idOfEqual: (request: IdempotentRequest, refused: readonly Refusal[]): number | undefined => {
      const { pk } = itemKey(request)
      const item = refused.find(({ key }) => key.pk === pk)?.found
      return item && idOfEqualRequest(item, request)
    },

    /** The id of the key; `candidate` when the key is new. Refuses a key that was used for another request. */
    async claimId(request: IdempotentRequest, candidate: number): Promise<number> {
      if (await items.put(itemKey(request), claimItem(request, candidate), now())) return candidate
      return idOfEqualRequest(await items.get(itemKey(request)), request)
    },
  }
}

type IdempotencyStore = ReturnType<typeof createIdempotencyStore>

/** The request that asks for a record, where the same one may come again. */
export interface Once {
  request: IdempotentRequest
  idempotency: Pick<IdempotencyStore, 'claiming' | 'idOfEqual'>
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
const requestKeyOf = ({ scope, key }: IdempotentRequest): string => hexDigest(`${scope}\n${key}`)
