import { createDocumentClient } from '../lib/aws/document-client.ts'
import { readEnv } from '../lib/aws/env.ts'
import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
import { createItemTable } from '../lib/storage/db/item-table.ts'
import { createDeadLetterStore } from '../lib/storage/dead-letters/dead-letter-store.ts'
import { keepDeadLetterEnvNames } from './env-names.ts'
import { keepDeadLetterEvent } from './event.ts'
import { keepDeadLetter } from './keep-dead-letter.ts'

const env = readEnv(keepDeadLetterEnvNames)
const deadLetters = createDeadLetterStore(createItemTable(createDocumentClient(), env.STORAGE_TABLE))

/** The last words of a failed execution -> an item that people list, redrive and delete. */
export const handler = lambdaHandler({
  service: 'keep-dead-letter',
  event: keepDeadLetterEvent,
  keys: ({ machine, letter }) => ({ correlationId: letter.source.execution, machine }),
  run: event => keepDeadLetter(event, deadLetters),
  outcome: ({ id }) => ({ deadLetterId: id }),
})
