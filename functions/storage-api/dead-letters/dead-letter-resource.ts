import { z } from '@hono/zod-openapi'
import type { DeadLetterRecord } from '../../lib/storage/dead-letters/dead-letter-store.ts'
import { wireDate } from '../../lib/wire/wire-date.ts'
import { hasNewestVersion } from '../services/newest-version.ts'
import { isRedrivable } from '../services/redrive-execution.ts'

/** The dead letter on the wire (docs/reference/storage-api.md#dead-letters). */
export const deadLetterResource = (letter: DeadLetterRecord) => {
  const { id, machine, source, input, failure, details, at, redrive, closed } = letter
  return {
    id: String(id),
    machine,
    source,
    input,
    failure,
    details,
    created: wireDate(at),
    isRedrivable: isRedrivable(letter) && closed === undefined,
    hasNewestVersion: hasNewestVersion(letter),
    redrive,
    closed: closed ? { at: wireDate(closed.at), jobId: closed.jobId } : null,
  }
}

/** Which version of its object an import is started with: the one that failed, or the newest. */
export const redrivenVersion = z.enum(['same', 'newest']).default('same')

/** What events say of a dead letter. The event outlives it, so the input and the cause are in it. */
export const deadLetterFacts = ({ id, machine, source, input, failure }: DeadLetterRecord) => ({
  id: String(id),
  params: { machine, execution: source.execution, input, failure },
})
