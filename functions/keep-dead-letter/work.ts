import { readEnv } from '../lib/aws/env.ts'
import { openItemTable } from '../lib/cloud/open-items.ts'
import { createDeadLetterStore } from '../lib/storage/dead-letters/dead-letter-store.ts'
import type { KeepDeadLetterEvent } from './event.ts'
import { keepDeadLetter } from './keep-dead-letter.ts'

const env = readEnv([
  /** DynamoDB table of the service's items. */
  'STORAGE_TABLE',
])
/** The variables that the function's construct must set. */
export type KeepDeadLetterEnv = keyof typeof env

const deadLetters = createDeadLetterStore(openItemTable(env.STORAGE_TABLE))

export const run = (event: KeepDeadLetterEvent) => keepDeadLetter(event, deadLetters)
