import { isOutOfSpace } from '../../functions/lib/errors/out-of-space.ts'

/** Short enough that nobody waits for it who has just made room. */
const defaultPauseMs = 5_000

/**
 * Repeats idempotent work for as long as the disk is full, and no longer: what waited is done when somebody has made
 * room. `onWait` is called once; with `isOver` the last error is thrown instead of another attempt made.
 */
export const untilThereIsRoom = async <Result>(
  work: () => Promise<Result>,
  {
    onWait,
    isOver = () => false,
    pauseMs = defaultPauseMs,
  }: { onWait: (error: unknown) => void; isOver?: () => boolean; pauseMs?: number | undefined },
): Promise<Result> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isOutOfSpace(error) || isOver()) throw error
      if (attempt === 1) onWait(error)
      await new Promise<void>(resolve => setTimeout(resolve, pauseMs).unref())
    }
  }
}
