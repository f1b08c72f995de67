import { isThorough } from './thorough.ts'

/** One write in so many, by default. */
const ONE_IN = 4

/** For the name of a test: at which writes it dies. */
export const chosenKills = isThorough
  ? 'before and after each of its writes'
  : `after one write of each kind, and one in ${ONE_IN} of all`

export interface Kill {
  /** From 1. */
  write: number
  when: 'before' | 'after'
  /** The work is then done by another execution, in place of the same one. */
  isNewExecution: boolean
}

/**
 * At which of an operation's writes it dies, given the kind of each in their order. By default a sample: one in four, spread
 * evenly, and the first of each kind that these leave out; and it comes back in both ways by turns. All that is stored is
 * alike after one write and before the next, so one death in between is enough. `KILLS=all`: on both sides of every write.
 */
export const chooseKills = (kinds: readonly string[], thorough = isThorough): Kill[] => {
  const all = kinds.map((_, index) => index + 1)
  if (thorough)
    return all.flatMap((write): Kill[] => [
      { write, when: 'after', isNewExecution: true },
      { write, when: 'before', isNewExecution: false },
    ])
  const spread = all.filter(write => write % ONE_IN === 0)
  const seen = new Set(spread.map(write => kinds[write - 1]))
  const others = all.filter(write => {
    const kind = kinds[write - 1]
    const isMissing = !seen.has(kind)
    seen.add(kind)
    return isMissing
  })
  return [...spread, ...others]
    .sort((one, other) => one - other)
    .map((write, index) => ({ write, when: 'after', isNewExecution: index % 2 === 1 }))
}

/** So many of all moments, spread evenly; all of them with `KILLS=all`. */
export const sampleOf = <Moment>(
  all: readonly Moment[],
  count: number,
  thorough = isThorough,
): readonly Moment[] => {
  const upTo = (index: number): number => Math.floor((index * count) / all.length + 1 / 2)
  return thorough ? all : all.filter((_, index) => upTo(index) < upTo(index + 1))
}
