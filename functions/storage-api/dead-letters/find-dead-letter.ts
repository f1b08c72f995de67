import { UserError } from '../../lib/errors/errors.ts'
import { parseId } from '../../lib/storage/db/ids.ts'
import type { DeadLetterRecord } from '../../lib/storage/dead-letters/dead-letter-store.ts'
import type { Services } from '../services.ts'

/** The dead letter of a path, or 404 `storage.deadLetters.notFound`. */
export const findDeadLetter = async (
  { deadLetters }: Pick<Services, 'deadLetters'>,
  letterId: string,
): Promise<DeadLetterRecord> => {
  const id = parseId(letterId)
  const letter = id === undefined ? undefined : await deadLetters.get(id)
  if (!letter)
    throw new UserError(
      'storage.deadLetters.notFound',
      `Dead letter ${letterId.slice(0, 20)} not found. It may have been redriven or deleted.`,
    )
  return letter
}
