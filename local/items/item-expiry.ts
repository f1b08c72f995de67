import type { ItemDatabase } from './item-database.ts'

/** Not at the start, where the first file comes; soon enough for a process that runs for minutes a day. */
const FIRST_MS = 5 * 60_000
const EVERY_MS = 24 * 60 * 60_000
/** Between some items and the next, so that requests of others need not wait. */
const PAUSE_MS = 50

/** Deletes expired items some minutes after the start and then each day, until the returned function ends it. */
export const startItemExpiry = (items: ItemDatabase, log: (message: string) => void): (() => void) => {
  const closing = new AbortController()
  const { signal } = closing
  const run = async (): Promise<void> => {
    try {
      const expired = await items.expire(new Date(), { pauseMs: PAUSE_MS, signal })
      if (expired > 0) log(`${expired} items whose time to live was over are deleted`)
    } catch (error) {
      if (!signal.aborted) log(`Expired items are not all deleted, tomorrow again: ${String(error)}`)
    }
  }
  let timer = setTimeout(function next() {
    void run()
    timer = setTimeout(next, EVERY_MS).unref()
  }, FIRST_MS).unref()
  return () => {
    closing.abort()
    clearTimeout(timer)
  }
}
