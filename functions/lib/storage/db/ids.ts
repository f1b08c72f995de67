import { randomInt } from 'node:crypto'

// 2024-01-01T00:00:00Z. With 12 bits below the millisecond, ids stay under 2^53 until the year 2093.
const EPOCH_MS = Date.UTC(2024, 0, 1)
const IDS_PER_MS = 4096

export type NextId = () => number

/**
 * Makes integers below 2^53 that grow with time, without any shared counter.
 *
 * An id is the millisecond since 2024 and 12 bits: random at the first id of a millisecond, counted up from there, so
 * one process never repeats itself and always grows. Two processes can meet on one id; whoever stores a record puts it
 * only if absent and takes another id when it lost.
 */
export const createIdSource = (now: () => Date = () => new Date()): NextId => {
  let last = 0
  return () => {
    const earliest = (now().getTime() - EPOCH_MS) * IDS_PER_MS
    last = last >= earliest ? last + 1 : earliest + randomInt(IDS_PER_MS)
    return last
  }
}

/** `2026-07`: the month (UTC) an id was made in. Files and jobs are partitioned by it. */
export const monthOfId = (id: number): string =>
  new Date(Math.floor(id / IDS_PER_MS) + EPOCH_MS).toISOString().slice(0, 7)

/** Ids as sort keys: sixteen digits, so that text order is number order. */
export const idSortKey = (id: number): string => String(id).padStart(16, '0')

/**
 * Reads an id from a path or a query; `undefined` when it can be none of ours, so that the caller answers "not found".
 */
export const parseId = (text: string): number | undefined => {
  if (!/^\d{1,16}$/.test(text)) return undefined
  const id = Number(text)
  // The second test keeps monthOfId inside the range of dates.
  return Number.isSafeInteger(id) ? id : undefined
}
