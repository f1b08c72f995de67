import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { recordEvent } from '../events/record-event.ts'
import { noContent } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { deadLetterFacts } from './dead-letter-facts.ts'
import { findDeadLetter } from './find-dead-letter.ts'

/** Gives the work up. What it was about stays: a file of the landing bucket is still there. */
export const deleteDeadLetter = defineRoute({
  method: 'delete',
  path: '/v2/storage/dead-letters/{letterId}',
  summary: 'Delete a dead letter',
  tag: 'dead letters',
  access: 'project',
  replies: {
    204: 'Deleted',
    403: 'The token may not manage all buckets',
    404: 'There is no such dead letter',
  },
  handle: async (request, services) => {
    const letter = await findDeadLetter(services, request.params.letterId)
    await services.deadLetters.delete(letter.id)
    await recordEvent(request, services, auditEvent('deadLetterDeleted', deadLetterFacts(letter)))
    return noContent()
  },
})
