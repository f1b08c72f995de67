/** Does work of somebody when it is their turn. */
export type TakeTurn = <Result>(who: string, work: () => Promise<Result>) => Promise<Result>

interface TurnsOptions {
  /** At work at once. */
  most: number
  /** Of these, of one. Default: one. */
  mostOf?: (who: string) => number
  /** What refuses whoever waits for longer. Default: all wait. */
  refusal?: { afterMs: number; error: () => Error }
}

/** Of those who wait, whoever has fewest at work comes first; of these, whoever began longest ago, or never. */
export const createTurns = ({ most, mostOf = () => 1, refusal }: TurnsOptions): TakeTurn => {
  const atWork = new Map<string, number>()
  const lastTurns = new Map<string, number>()
  let waiting: { who: string; begin: () => void }[] = []
  let free = most
  let turns = 0

  const of = (who: string): number => atWork.get(who) ?? 0
  const lastTurn = (who: string): number => lastTurns.get(who) ?? 0
  const beginNext = (): void => {
    if (free === 0) return
    const [next] = waiting
      .filter(({ who }) => of(who) < mostOf(who))
      .sort((a, b) => of(a.who) - of(b.who) || lastTurn(a.who) - lastTurn(b.who))
    if (!next) return
    waiting = waiting.filter(each => each !== next)
    free--
    atWork.set(next.who, of(next.who) + 1)
    lastTurns.set(next.who, ++turns)
    next.begin()
    beginNext()
  }
  const leave = (who: string): void => {
    free++
    atWork.set(who, of(who) - 1)
    // Who is gone and has had every turn before the others need not be remembered.
    if (waiting.length === 0) lastTurns.clear()
    beginNext()
  }
  return async (who, work) => {
    const turn = Promise.withResolvers<void>()
    const mine = { who, begin: turn.resolve }
    waiting.push(mine)
    const timer =
      refusal &&
      setTimeout(() => {
        waiting = waiting.filter(each => each !== mine)
        turn.reject(refusal.error())
      }, refusal.afterMs)
    beginNext()
    await turn.promise.finally(() => clearTimeout(timer))
    try {
      return await work()
    } finally {
      leave(who)
    }
  }
}
