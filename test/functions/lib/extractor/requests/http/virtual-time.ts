import { setImmediate } from 'node:timers/promises'

/** Time that passes only when nothing else is left to do. */
export interface VirtualTime {
  /** Seconds. */
  now: () => number
  wait: (seconds: number) => Promise<void>
  /** Runs until all of these have ended. */
  run: (work: readonly Promise<unknown>[]) => Promise<void>
}

export const virtualTime = (start = 1_700_000_000): VirtualTime => {
  let time = start
  let timers: { at: number; done: () => void }[] = []
  return {
    now: () => time,
    wait: seconds => new Promise(done => timers.push({ at: time + seconds, done })),
    run: async work => {
      let isOver = false
      const all = Promise.all(work).finally(() => {
        isOver = true
      })
      all.catch(() => {})
      for (;;) {
        await setImmediate()
        if (isOver) break
        const at = Math.min(...timers.map(timer => timer.at))
        if (at === Number.POSITIVE_INFINITY) throw new Error('Everybody waits for nothing')
        time = Math.max(time, at)
        const due = timers.filter(timer => timer.at <= time)
        timers = timers.filter(timer => timer.at > time)
        for (const { done } of due) done()
      }
      await all
    },
  }
}
