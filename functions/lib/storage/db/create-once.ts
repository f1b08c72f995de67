import { TransientError } from '../../errors/errors.ts'
import type { ItemWrite, Refusal } from '../../items/item-table.ts'
import type { IdempotencyStore, IdempotentRequest } from './idempotency-store.ts'
import type { NextId } from './ids.ts'

interface CreateOnceOptions<Stored> {
  idempotency: IdempotencyStore
  records: {
    get: (id: number) => Promise<Stored | undefined>
    /** Resolves to what refuses it. */
    insertWith: (record: Stored, ...others: readonly ItemWrite[]) => Promise<Refusal[]>
  }
  nextId: NextId
  make: (id: number) => Stored
}

const MAX_ATTEMPTS = 10

/** Creates the record of an idempotent request together with its key, or finds the one that an earlier attempt made. */
export const createOnce = async <Stored extends { id: number }>(
  request: IdempotentRequest,
  { idempotency, records, nextId, make }: CreateOnceOptions<Stored>,
): Promise<Stored> => {
  let deleted: number | undefined
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const record = make(nextId())
    const refused = await records.insertWith(record, idempotency.claiming(request, record.id, deleted))
    if (refused.length === 0) return record
    const earlier = idempotency.idOfEqual(request, refused)
    const stored = earlier === undefined ? undefined : await records.get(earlier)
    if (stored) return stored
    deleted = earlier
  }
  throw new TransientError('storage.unavailable', 'Too many requests with this Idempotency-Key at once.')
}
