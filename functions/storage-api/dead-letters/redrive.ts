import { z } from 'zod'
import type { DeadLetterRecord } from '../../lib/storage/dead-letters/dead-letter-store.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { type EventSender, recordEvent } from '../events/record-event.ts'
import { findFile } from '../files/find-file.ts'
import type { Services } from '../services.ts'
import { deadLetterFacts } from './dead-letter-facts.ts'
import type { RedrivenVersion } from './redrive-execution.ts'

/**
 * Starts what failed again, then removes the dead letter. Dead in between, the next call starts nothing new and removes
 * it. An execution that fails again leaves a dead letter of its own.
 */
export const redrive = async (
  sender: EventSender,
  services: Pick<
    Services,
    'deadLetters' | 'redriveExecution' | 'files' | 'events' | 'nextId' | 'now' | 'log'
  >,
  letter: DeadLetterRecord,
  version: RedrivenVersion,
): Promise<{ id: string; execution: string }> => {
  await requireFile(sender, services, letter)
  const { tokenId } = sender.caller
  const execution = await services.redriveExecution(letter, { version, tokenId })
  await services.deadLetters.delete(letter.id)
  const facts = deadLetterFacts(letter)
  await recordEvent(sender, services, auditEvent('deadLetterRedriven', { ...facts, results: { execution } }))
  return { id: String(letter.id), execution }
}

const exportOfFile = z.object({ fileId: z.int() })

/** The export of a file brings it to whoever reads the destination: not at the request of one who may not read the file. */
const requireFile = async (
  { caller }: EventSender,
  { files }: Pick<Services, 'files'>,
  { machine, input }: DeadLetterRecord,
): Promise<void> => {
  const { data } = exportOfFile.safeParse(input)
  if (machine === 'export' && data) await findFile(files, String(data.fileId), caller)
}
