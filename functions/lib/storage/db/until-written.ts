import type { TransientError } from '../../errors/errors.ts'

/** What an attempt resolves to when its condition did not hold any more: another writer was faster. */
export const OVERTAKEN = Symbol('overtaken')

const MAX_ATTEMPTS = 10

/**
 * Makes an attempt again and again until nobody overtakes it: it reads what is stored, and writes on condition that this
 * is what is stored still. Throws `busy()` when others were faster each time.
 */
export const untilWritten = async <Result>(
  busy: () => TransientError,
  attempt: () => Promise<Result | typeof OVERTAKEN>,
  attempts = MAX_ATTEMPTS,
): Promise<Result> => {
  for (let made = 0; made < attempts; made++) {
    const result = await attempt()
    if (result !== OVERTAKEN) return result
  }
  throw busy()
}
