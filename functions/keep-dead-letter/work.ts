import { openItemTable } from '../lib/cloud/open-items.ts'
import type { Environment } from '../lib/env.ts'
import { createDeadLetterStore } from '../lib/storage/dead-letters/dead-letter-store.ts'
import type { KeepDeadLetterEvent } from './event.ts'
import { keepDeadLetter } from './keep-dead-letter.ts'

/** The variables that the function's construct must set. */
export const variables = [
  /** DynamoDB table of the service's items. */
  'STORAGE_TABLE',
] as const
export type KeepDeadLetterEnv = (typeof variables)[number]

export const open = (env: Environment<KeepDeadLetterEnv>) => {
  const deadLetters = createDeadLetterStore(openItemTable(env.STORAGE_TABLE))

  return (event: KeepDeadLetterEvent) => keepDeadLetter(event, deadLetters)
}
