import { UserError } from '../../errors/errors.ts'

/** Does work of somebody when it is their turn. Error: 429 `storage.tooManyAtOnce` when that takes too long. */
export type TakeTurn = <Result>(who: string, work: () => Promise<Result>) => Promise<Result>

/** The work after it still has most of the time of a request. */
const LONGEST_WAIT_MS = 10_000

/** At most so many are at work at once, one of each. Of those who wait, whoever began longest ago, or never, comes first. */
export const createTurns = (most: number, longestWaitMs = LONGEST_WAIT_MS): TakeTurn => {
  const atWork = new Set<string>()
  const lastTurns = new Map<string, number>()
  let waiting: { who: string; begin: () => void }[] = []
  let turns = 0

  const beginNext = (): void => {
    if (atWork.size >= most) return
    const lastTurn = ({ who }: { who: string }): number => lastTurns.get(who) ?? 0
    const [next] = waiting.filter(({ who }) => !atWork.has(who)).sort((a, b) => lastTurn(a) - lastTurn(b))
    if (!next) return
    waiting = waiting.filter(each => each !== next)
    atWork.add(next.who)
    lastTurns.set(next.who, ++turns)
    next.begin()
    beginNext()
  }
  return async (who, work) => {
    const turn = Promise.withResolvers<void>()
    const mine = { who, begin: turn.resolve }
    waiting.push(mine)
    const timer = setTimeout(() => {
      waiting = waiting.filter(each => each !== mine)
      turn.reject(
        new UserError(
          'storage.tooManyAtOnce',
          `One query of a token runs at a time, and ${most} of all: this one has waited ${longestWaitMs / 1000} seconds. Send it again when others have ended.`,
        ),
      )
    }, longestWaitMs)
    beginNext()
    await turn.promise.finally(() => clearTimeout(timer))
    try {
      return await work()
    } finally {
      atWork.delete(who)
      beginNext()
    }
  }
}
