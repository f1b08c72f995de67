/** How many invocations may be under way at a time. The counter is shared between threads: the API has one of its own. */
export interface ConcurrencyPool {
  readonly limit: number
  readonly counter: SharedArrayBuffer
}

interface Reserving {
  readonly arn: string
  readonly reservedConcurrency?: number | undefined
}

/**
 * The pool of each function: what is reserved for it, or what all others share (Lambda Developer Guide, "Understanding
 * reserved concurrency").
 */
export const concurrencyPools = (
  functions: readonly Reserving[],
  accountConcurrency: number,
): ReadonlyMap<string, ConcurrencyPool> => {
  const reserved = functions.reduce((sum, { reservedConcurrency = 0 }) => sum + reservedConcurrency, 0)
  const shared = poolOf(Math.max(0, accountConcurrency - reserved))
  return new Map(
    functions.map(({ arn, reservedConcurrency }) => [
      arn,
      reservedConcurrency === undefined ? shared : poolOf(reservedConcurrency),
    ]),
  )
}

const poolOf = (limit: number): ConcurrencyPool => ({
  limit,
  counter: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
})

/** Takes a place. False: the pool is full, so the invocation is throttled. Who takes one gives it back with `leave`. */
export const enter = ({ limit, counter }: ConcurrencyPool): boolean => {
  if (Atomics.add(new Int32Array(counter), 0, 1) < limit) return true
  leave({ counter })
  return false
}

export const leave = ({ counter }: Pick<ConcurrencyPool, 'counter'>): void => {
  Atomics.sub(new Int32Array(counter), 0, 1)
}
