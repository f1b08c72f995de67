/** Does work of somebody when it is their turn. */
export type TakeTurn = <Result>(who: string, work: () => Promise<Result>) => Promise<Result>

interface TurnsOptions {
  /** At work at once. */
  most: number
  /** Of these, of one. Default: one. */
  mostOf?: (who: string) => number
  /** What shares a thread. Default: nobody rests. */
  share?: ThreadShare
  /** What refuses whoever waits for longer. Default: all wait. */
  refusal?: { afterMs: number; error: () => Error }
}

/**
 * While others are at work, or have been within a second, one of each is, and rests afterwards: so whoever asks without a
 * pause has a part of the thread. Who may have any number at work never rests.
 */
interface ThreadShare {
  /** How many times as long as the thread was busy with the work. */
  restsFor: number
  /** Both in milliseconds. */
  clock: { now(): number; busy(): number }
}

/** Of this thread, since it began. */
export const threadClock: ThreadShare['clock'] = {
  now: () => performance.now(),
  busy: () => performance.eventLoopUtilization().active,
}

/** Of others' work, and how long work that hangs keeps further work of the same one waiting. */
const REMEMBERED_MS = 1000
const LOOK_AGAIN_MS = 10

interface Asker {
  atWork: number
  lastTurn: number
  began: number
  left: number
  restsUntil: number
}

const newAsker = (): Asker => ({
  atWork: 0,
  lastTurn: 0,
  began: Number.NEGATIVE_INFINITY,
  left: Number.NEGATIVE_INFINITY,
  restsUntil: 0,
})

/** Of those who wait, whoever has fewest at work comes first; of these, whoever began longest ago, or never. */
export const createTurns = ({ most, mostOf = () => 1, share, refusal }: TurnsOptions): TakeTurn => {
  const askers = new Map<string, Asker>()
  let waiting: { who: string; asker: Asker; begin: () => void }[] = []
  let free = most
  let turns = 0
  let looksAgain = false
  const now = (): number => share?.clock.now() ?? 0

  /** `active`: who is at work, or has just been. */
  const mayBegin = (who: string, asker: Asker, active: readonly Asker[]): boolean => {
    const mostAtWork = mostOf(who)
    if (asker.atWork >= mostAtWork) return false
    const isAlone = active.every(other => other === asker)
    if (isAlone || mostAtWork === Number.POSITIVE_INFINITY) return true
    return now() >= (asker.atWork === 0 ? asker.restsUntil : asker.began + REMEMBERED_MS)
  }
  const beginNext = (): void => {
    if (free === 0 || waiting.length === 0) return
    const active = share
      ? [...askers.values()].filter(({ atWork, left }) => atWork > 0 || left + REMEMBERED_MS > now())
      : []
    const [next] = waiting
      .filter(({ who, asker }) => mayBegin(who, asker, active))
      .sort((a, b) => a.asker.atWork - b.asker.atWork || a.asker.lastTurn - b.asker.lastTurn)
    if (!next) {
      lookAgain()
      return
    }
    waiting = waiting.filter(each => each !== next)
    free--
    next.asker.atWork++
    next.asker.lastTurn = ++turns
    next.asker.began = now()
    next.begin()
    beginNext()
  }
  /** A rest ends without anything that would tell so. */
  const lookAgain = (): void => {
    if (!share || looksAgain) return
    looksAgain = true
    setTimeout(() => {
      looksAgain = false
      beginNext()
    }, LOOK_AGAIN_MS)
  }
  const leave = (asker: Asker, busyMs: number): void => {
    free++
    asker.atWork--
    asker.left = now()
    asker.restsUntil = asker.left + busyMs * (share?.restsFor ?? 0)
    if (waiting.length === 0) forget()
    beginNext()
  }
  /** Who is gone and has had every turn before the others need not be remembered. */
  const forget = (): void => {
    for (const [who, { atWork, left, restsUntil }] of askers)
      if (atWork === 0 && (!share || Math.max(left + REMEMBERED_MS, restsUntil) <= now())) askers.delete(who)
  }
  return async (who, work) => {
    const asker = askers.get(who) ?? newAsker()
    askers.set(who, asker)
    const turn = Promise.withResolvers<void>()
    const mine = { who, asker, begin: turn.resolve }
    waiting.push(mine)
    const timer =
      refusal &&
      setTimeout(() => {
        waiting = waiting.filter(each => each !== mine)
        turn.reject(refusal.error())
      }, refusal.afterMs)
    beginNext()
    await turn.promise.finally(() => clearTimeout(timer))
    const busyBefore = share?.clock.busy() ?? 0
    try {
      return await work()
    } finally {
      leave(asker, (share?.clock.busy() ?? 0) - busyBefore)
    }
  }
}
