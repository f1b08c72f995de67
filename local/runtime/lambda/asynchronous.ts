import { THROTTLED } from './function-error.ts'

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 5 * 60_000
const SIX_HOURS_MS = 6 * 60 * 60_000

/** Does not keep the process alive: an event that nobody has taken is delivered again after the next start. */
const sleep = (milliseconds: number) =>
  new Promise<void>(resolve => void setTimeout(resolve, milliseconds).unref())

/**
 * Invokes for a rule or a schedule. While the function is throttled it is tried again, after a second at first and then
 * less often, for six hours (Lambda Developer Guide, "How Lambda handles errors and retries with asynchronous invocation").
 */
export const invokeWhenThereIsRoom = async (
  invoke: () => Promise<unknown>,
  pause: (milliseconds: number) => Promise<void> = sleep,
): Promise<unknown> => {
  for (let waited = 0, next = FIRST_PAUSE_MS; ; next = Math.min(2 * next, LONGEST_PAUSE_MS)) {
    try {
      return await invoke()
    } catch (error) {
      const isThrottled = error instanceof Error && error.name === THROTTLED
      if (!isThrottled || waited >= SIX_HOURS_MS) throw error
    }
    await pause(next)
    waited += next
  }
}
