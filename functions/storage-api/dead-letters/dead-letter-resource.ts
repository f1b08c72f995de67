import { z } from '@hono/zod-openapi'
import type { DeadLetterRecord } from '../../lib/storage/dead-letters/dead-letter-store.ts'
import { wireDate } from '../../lib/storage/wire-date.ts'
import { anyObject, wireDateText } from '../http/body-fields.ts'
import { hasNewestVersion } from './newest-version.ts'
import { isRedrivable } from './redrive-execution.ts'

/** The dead letter on the wire (docs/reference/storage-api.md#dead-letters). */
export const deadLetterResource = (letter: DeadLetterRecord) => {
  const { id, machine, source, input, failure, details, at, redrive } = letter
  return {
    id: String(id),
    machine,
    source,
    input,
    failure,
    details,
    created: wireDate(at),
    isRedrivable: isRedrivable(letter),
    hasNewestVersion: hasNewestVersion(letter),
    redrive,
  }
}

export const deadLetterBody = z
  .object({
    id: z.string(),
    machine: z.string().openapi({ example: 'import' }),
    source: z.object({ machine: z.string(), execution: z.string() }),
    input: anyObject,
    failure: z.object({ code: z.string(), message: z.string() }),
    details: anyObject,
    created: wireDateText,
    isRedrivable: z.boolean(),
    hasNewestVersion: z.boolean(),
    redrive: z.string(),
  })
  .openapi('DeadLetter')

export const redrivenBody = z
  .object({ id: z.string(), execution: z.string() })
  .openapi('RedrivenDeadLetter', {
    description: 'The dead letter and the ARN of the execution that it became',
  })

/** Which version of its object an import is started with: the one that failed, or the newest. */
export const redrivenVersion = z.enum(['same', 'newest']).default('same')
