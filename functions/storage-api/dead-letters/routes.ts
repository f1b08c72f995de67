import type { Route } from '../http/route.ts'
import { deleteDeadLetter } from './delete-dead-letter.ts'
import { getDeadLetter } from './get-dead-letter.ts'
import { listDeadLetters } from './list-dead-letters.ts'
import { redriveAllDeadLetters } from './redrive-all-dead-letters.ts'
import { redriveDeadLetter } from './redrive-dead-letter.ts'

export const deadLettersRoutes: readonly Route[] = [
  listDeadLetters,
  redriveAllDeadLetters,
  getDeadLetter,
  redriveDeadLetter,
  deleteDeadLetter,
]
