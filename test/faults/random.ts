import { randomFrom } from '#support/random.ts'

/** The same numbers for the same seed. */
export interface Random {
  /** From 0 to below 1. */
  next: () => number
  /** A whole number from 0 to below `limit`. */
  below: (limit: number) => number
  isLucky: (probability: number) => boolean
  pick: <T>(items: readonly [T, ...T[]]) => T
}

export const seededRandom = (seed: number): Random => {
  const next = randomFrom(seed)
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    next,
    below,
    isLucky: probability => next() < probability,
    pick: items => items[below(items.length)] ?? items[0],
  }
}
