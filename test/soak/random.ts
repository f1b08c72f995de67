import { randomFrom } from '../support/random.ts'

export interface Random {
  /** From 0 to below 1. */
  next(): number
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number
  pick<Value>(values: readonly Value[]): Value
}

/** Numbers that follow from the seed. `stream` gives independent numbers of the same seed. */
export const createRandom = (seed: number, stream = 0): Random => {
  const next = randomFrom(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(stream + 1, 0xc2b2ae35))
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
  return {
    next,
    between,
    pick: values => {
      const value = values[between(0, values.length - 1)]
      if (value === undefined) throw new Error('There is nothing to pick from')
      return value
    },
  }
}
