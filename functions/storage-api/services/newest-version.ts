import { UserError } from '../../lib/errors/errors.ts'
import type { DeadLetterRecord } from '../../lib/storage/dead-letters/dead-letter-store.ts'
import { importInput } from '../../lib/storage/dead-letters/end-of-letter.ts'

/** Whether it is about an object of the landing bucket, which somebody may have replaced since. */
export const hasNewestVersion = ({ machine, input }: Pick<DeadLetterRecord, 'machine' | 'input'>): boolean =>
  machine === 'import' && importInput.safeParse(input).success

/**
 * The dead letter's input without the version that failed: the import then takes the object as it is now.
 *
 * Error: 400 `storage.deadLetters.notRedrivable` for work that is about no object.
 */
export const inputOfNewest = (letter: Pick<DeadLetterRecord, 'machine' | 'input'>) => {
  const input = letter.machine === 'import' ? importInput.safeParse(letter.input).data : undefined
  if (input === undefined)
    throw new UserError(
      'storage.deadLetters.notRedrivable',
      'Only imports of objects can be started with the newest version. Start this one with its own input.',
    )
  return { bucket: input.bucket, key: input.key }
}
