import { TransientError } from '../../errors/errors.ts'
import { type IdempotencyStore, type IdempotentRequest, requestKeyOf } from './idempotency-store.ts'
import type { NextId } from './ids.ts'

interface CreateOnceOptions<Stored> {
  idempotency: IdempotencyStore
  records: {
    get: (id: number) => Promise<Stored | undefined>
    /** Resolves to false when the id cannot be used. */
    insert: (record: Stored) => Promise<boolean>
  }
  nextId: NextId
  make: (id: number) => Stored
}

const MAX_ATTEMPTS = 10

/** The record that an earlier attempt of the request made, if any. */
export const findCreated = async <Stored extends { requestKey: string | null }>(
  request: IdempotentRequest,
  { idempotency, records }: Pick<CreateOnceOptions<Stored>, 'idempotency' | 'records'>,
): Promise<Stored | undefined> => {
  const id = await idempotency.findId(request)
  const record = id === undefined ? undefined : await records.get(id)
  return record?.requestKey === requestKeyOf(request) ? record : undefined
}

/**
 * Creates the record of an idempotent request, or finds the one that an earlier attempt made. Parallel requests and a
 * repeat after a crash at any point get the same record.
 */
export const createOnce = async <Stored extends { requestKey: string | null }>(
  request: IdempotentRequest,
  { idempotency, records, nextId, make }: CreateOnceOptions<Stored>,
): Promise<Stored> => {
  const requestKey = requestKeyOf(request)
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const candidate = nextId()
    const id = await idempotency.claimId(request, candidate)
    const existing = id === candidate ? undefined : await records.get(id)
    if (existing?.requestKey === requestKey) return existing
    const record = { ...make(id), requestKey }
    if (!existing && (await records.insert(record))) return record
    // The id is another's, or can never be used; or a parallel attempt of this request has just stored its record.
    const stored = existing ?? (await records.get(id))
    if (stored?.requestKey === requestKey) return stored
    await idempotency.moveId(request, id, nextId())
  }
  throw new TransientError('storage.unavailable', 'Too many requests with this Idempotency-Key at once.')
}
