import type { DeadLetterRecord } from '../../lib/storage/dead-letters/dead-letter-store.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { type EventSender, recordEvent } from '../events/record-event.ts'
import type { Services } from '../services.ts'
import { deadLetterFacts } from './dead-letter-facts.ts'
import type { RedrivenVersion } from './redrive-execution.ts'

/**
 * Starts what failed again, then removes the dead letter. Dead in between, the next call starts nothing new and removes
 * it. An execution that fails again leaves a dead letter of its own.
 */
export const redrive = async (
  sender: EventSender,
  services: Pick<Services, 'deadLetters' | 'redriveExecution' | 'events' | 'nextId' | 'now' | 'log'>,
  letter: DeadLetterRecord,
  version: RedrivenVersion,
): Promise<{ id: string; execution: string }> => {
  const execution = await services.redriveExecution(letter, version)
  await services.deadLetters.delete(letter.id)
  const facts = deadLetterFacts(letter)
  await recordEvent(sender, services, auditEvent('deadLetterRedriven', { ...facts, results: { execution } }))
  return { id: String(letter.id), execution }
}
