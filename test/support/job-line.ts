import { setTimeout as sleep } from 'node:timers/promises'

/** So long after an end, somebody may have looked just before it. */
const JUST_MS = 50
/** Somebody may wait for what is no job of this process. */
const LONGEST_PAUSE_MS = 500

/**
 * The jobs that run in one process. Who waits looks again when a job has ended: if all of many looked every few
 * milliseconds, there would be no time for what they wait for.
 */
export const createJobLine = () => {
  const blocked = new Map<number, () => void>()
  let nextEnd = Promise.withResolvers<void>()
  let endedAt = 0
  const pauseUntil = (event: Promise<void>): Promise<void> =>
    Promise.race([event, sleep(LONGEST_PAUSE_MS, undefined, { ref: false })])

  return {
    ended: (): void => {
      endedAt = Date.now()
      nextEnd.resolve()
      nextEnd = Promise.withResolvers()
      blocked.get(Math.min(...blocked.keys()))?.()
    },
    /** The pause of a request that waits for a job. */
    untilEnd: (): Promise<void> =>
      Date.now() - endedAt < JUST_MS ? sleep(JUST_MS / 2) : pauseUntil(nextEnd.promise),
    /** The pause of a job that is blocked: after an end, the oldest of them tries first. */
    untilOldest: async (jobId: number): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>()
      blocked.set(jobId, resolve)
      await pauseUntil(promise)
      blocked.delete(jobId)
    },
  }
}
