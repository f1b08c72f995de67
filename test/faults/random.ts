/** The same numbers for the same seed. */
export interface Random {
  /** From 0 to below 1. */
  next: () => number
  /** A whole number from 0 to below `limit`. */
  below: (limit: number) => number
  isLucky: (probability: number) => boolean
  pick: <T>(items: readonly [T, ...T[]]) => T
}

/** Mulberry32: 32 bits of state are enough to tell one story from another. */
export const seededRandom = (seed: number): Random => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    next,
    below,
    isLucky: probability => next() < probability,
    pick: items => items[below(items.length)] ?? items[0],
  }
}
