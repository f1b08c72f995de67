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
): Promise<Result> => {
  for (let made = 0; made < MAX_ATTEMPTS; made++) {
    const result = await attempt()
    if (result !== OVERTAKEN) return result
  }
  throw busy()
}

interface Revised {
  revision: number
}

interface RevisedPlace<Stored extends Revised> {
  read: () => Promise<Stored | undefined>
  /** In place of what was read. Resolves to false when that has changed. */
  write: (changed: Stored, before: Stored) => Promise<boolean>
  busy: () => TransientError
}

/**
 * Applies a change to the current record. A change that returns its input writes nothing. Resolves to the record as it is
 * then, or to `undefined` when there is none. Rejects with what the change throws.
 */
export const changeRevised = <Stored extends Revised>(
  { read, write, busy }: RevisedPlace<Stored>,
  change: (current: Stored) => Stored,
): Promise<Stored | undefined> =>
  untilWritten(busy, async () => {
    const current = await read()
    const next = current && change(current)
    if (!current || !next || next === current) return current
    const changed = { ...next, revision: current.revision + 1 }
    return (await write(changed, current)) ? changed : OVERTAKEN
  })
