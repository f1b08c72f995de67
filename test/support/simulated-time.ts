import { setImmediate as nextTurn } from 'node:timers/promises'

/** A clock that moves only when everybody waits for it. */
export const createSimulatedTime = (start: Date) => {
  let nowMs = start.getTime()
  let atWork = 0
  const sleepers: { untilMs: number; wake: () => void }[] = []
  const failures: unknown[] = []

  /** Behind all that wake as early: there are thousands of them. */
  const placeAfter = (untilMs: number): number => {
    let [low, high] = [0, sleepers.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((sleepers[middle]?.untilMs ?? 0) <= untilMs) low = middle + 1
      else high = middle
    }
    return low
  }

  const time = {
    now: (): Date => new Date(nowMs),
    elapsedSeconds: (): number => (nowMs - start.getTime()) / 1000,

    sleep: async (milliseconds: number): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const untilMs = nowMs + milliseconds
      sleepers.splice(placeAfter(untilMs), 0, { untilMs, wake: resolve })
      atWork -= 1
      await promise
    },

    /** Begins something that goes on by itself. */
    spawn: (work: () => Promise<unknown>): void => {
      atWork += 1
      work()
        .catch(error => failures.push(error))
        .finally(() => {
          atWork -= 1
        })
    },

    /** Until all that was begun has ended. */
    run: async (): Promise<void> => {
      for (;;) {
        while (atWork > 0) await nextTurn()
        const next = sleepers.shift()
        if (!next) break
        nowMs = Math.max(nowMs, next.untilMs)
        atWork += 1
        next.wake()
      }
      if (failures.length > 0) throw failures[0]
    },
  }
  return time
}
