/** Half of the minute in which the clock looks after every open job. */
const BETWEEN_LOOKS_MS = 30_000

/** Each is forgotten when it is due again. */
const MOST_KNOWN = 10_000

/**
 * Whether it is time to look after the queue of a table again, in this process. Hundreds of jobs that wait for one table
 * are polled one by one, and what the queue needs is the same for all of them.
 */
export const createQueueLooks = (now: () => Date): ((queue: string) => boolean) => {
  const lookedAt = new Map<string, number>()
  return queue => {
    const time = now().getTime()
    const since = time - (lookedAt.get(queue) ?? Number.NEGATIVE_INFINITY)
    // Less than nothing: the clock was set back since.
    if (since >= 0 && since < BETWEEN_LOOKS_MS) return false
    if (lookedAt.size >= MOST_KNOWN) lookedAt.clear()
    lookedAt.set(queue, time)
    return true
  }
}
