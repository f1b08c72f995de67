import type { DeadLetterStore } from '../lib/storage/dead-letters/dead-letter-store.ts'
import type { KeepDeadLetterEvent } from './event.ts'

/** Keeps the dead letter where the storage API lists it. Repeated, it changes nothing. */
export const keepDeadLetter = async (
  { machine, startedAt, letter: { version: _, ...letter } }: KeepDeadLetterEvent,
  deadLetters: Pick<DeadLetterStore, 'keep'>,
): Promise<{ id: number }> => {
  const { id } = await deadLetters.keep({ machine, ...letter }, startedAt)
  return { id }
}
