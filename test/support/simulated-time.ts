import { setImmediate as nextTurn } from 'node:timers/promises'

/** A clock that moves only when everybody waits for it. */
export const createSimulatedTime = (start: Date) => {
  let nowMs = start.getTime()
  let atWork = 0
  const sleepers: { untilMs: number; wake: () => void }[] = []
  const failures: unknown[] = []

  const time = {
    now: (): Date => new Date(nowMs),
    elapsedSeconds: (): number => (nowMs - start.getTime()) / 1000,

    sleep: async (milliseconds: number): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const untilMs = nowMs + milliseconds
      let place = sleepers.length
      while (place > 0 && (sleepers[place - 1]?.untilMs ?? 0) > untilMs) place -= 1
      sleepers.splice(place, 0, { untilMs, wake: resolve })
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
