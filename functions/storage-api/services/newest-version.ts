import { UserError } from '../../lib/errors/errors.ts'
import { landedObject } from '../../lib/landed-object.ts'
import type { FailureRecord } from '../../lib/storage/failures/failure-store.ts'

/** Whether it is about an object of the landing bucket, which somebody may have replaced since. */
export const hasNewestVersion = ({ machine, input }: Pick<FailureRecord, 'machine' | 'input'>): boolean =>
  machine === 'import' && landedObject.safeParse(input).success

/**
 * The dead letter's input without the version that failed: the import then takes the object as it is now.
 *
 * Error: 400 `storage.deadLetters.notRedrivable` for work that is about no object.
 */
export const inputOfNewest = (letter: Pick<FailureRecord, 'machine' | 'input'>) => {
  const input = letter.machine === 'import' ? landedObject.safeParse(letter.input).data : undefined
  if (input === undefined)
    throw new UserError(
      'storage.deadLetters.notRedrivable',
      'Only imports of objects can be started with the newest version. Start this one with its own input.',
    )
  return { bucket: input.bucket, key: input.key }
}
