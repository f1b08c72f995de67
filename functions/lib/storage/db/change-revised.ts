import type { TransientError } from '../../errors/errors.ts'
import { OVERTAKEN, untilWritten } from './until-written.ts'

interface Revised {
  revision: number
}

interface RevisedPlace<Stored extends Revised> {
  read: () => Promise<Stored | undefined>
  /** Resolves to false when the condition does not hold. */
  write: (changed: Stored, when: { revision: number }) => Promise<boolean>
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
    return (await write(changed, { revision: current.revision })) ? changed : OVERTAKEN
  })
