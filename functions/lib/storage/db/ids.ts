import { randomInt } from 'node:crypto'

// 2024-01-01T00:00:00Z. With 12 bits below the millisecond, ids stay under 2^53 until the year 2093.
const EPOCH_MS = Date.UTC(2024, 0, 1)
const IDS_PER_MS = 4096

export type NextId = () => number

export interface IdSource extends NextId {
  /** From here on ids are greater than this one, which another process may have made by a clock that is ahead. */
  above(id: number): void
}

/**
 * Makes integers below 2^53 that grow with time, without a shared counter.
 *
 * An id is the milliseconds since 2024 and 12 bits, which are random for the first id of a millisecond and counted up
 * from there. So the ids of one process grow and never repeat. Two processes can make the same id: whoever stores a
 * record does so only if the id is free, else takes another.
 */
export const createIdSource = (now: () => Date = () => new Date()): IdSource => {
  let last = 0
  const next = (): number => {
    const earliest = (now().getTime() - EPOCH_MS) * IDS_PER_MS
    last = last >= earliest ? last + 1 : earliest + randomInt(IDS_PER_MS)
    return last
  }
  const above = (id: number): void => {
    last = Math.max(last, id)
  }
  return Object.assign(next, { above })
}

/** When an id was made, and the counter within that millisecond. */
export const idParts = (id: number): { milliseconds: number; counter: number } => ({
  milliseconds: Math.floor(id / IDS_PER_MS) + EPOCH_MS,
  counter: id % IDS_PER_MS,
})

export const fromIdParts = ({ milliseconds, counter }: ReturnType<typeof idParts>): number =>
  (milliseconds - EPOCH_MS) * IDS_PER_MS + counter

/** Ids as sort keys: sixteen digits, so that text order is number order. */
export const idSortKey = (id: number): string => String(id).padStart(16, '0')

/** What a store has under the id in a path. `undefined`: nothing, or it is no id. */
export const storedUnder = async <Stored>(
  text: string,
  get: (id: number) => Promise<Stored | undefined>,
): Promise<Stored | undefined> => {
  const id = parseId(text)
  return id === undefined ? undefined : get(id)
}

/**
 * Reads an id from a path or a query. `undefined` when it cannot be one of ours: the caller then answers "not found".
 */
export const parseId = (text: string): number | undefined => {
  if (!/^\d{1,16}$/.test(text)) return undefined
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : undefined
}
