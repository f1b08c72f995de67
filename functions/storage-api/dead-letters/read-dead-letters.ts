import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { parseId } from '../../lib/storage/db/ids.ts'
import type { DeadLetterRecord } from '../../lib/storage/dead-letters/dead-letter-store.ts'
import { closedBody, deadLetterBody } from '../../lib/wire/dead-letter-body.ts'
import { integer, text } from '../http/fields.ts'
import { page } from '../http/page.ts'
import { recordAudit } from '../http/record-event.ts'
import { routesOf } from '../http/route.ts'
import { isAboutEarlier } from '../services/newest-version.ts'
import type { Services } from '../services/services.ts'
import { deadLetterFacts, deadLetterResource } from './dead-letter-resource.ts'

export const routes = routesOf('dead letters')

/** What failed and has not been redriven or deleted since. */
routes.get('/v2/storage/dead-letters', {
  summary: 'List dead letters',
  access: 'project',
  query: z.object({
    limit: integer({ min: 1, max: 1000 }).default(100),
    offset: integer().default(0),
    maxId: integer({ min: 1 }).optional(),
    machine: text().optional(),
    code: text().optional(),
  }),
  replies: {
    200: 'The dead letters, those of the newest executions first',
    403: 'The token may not manage all buckets',
  },
  reply: z.array(deadLetterBody),
  handle: async ({ query }, { deadLetters }) => {
    const { limit, offset, maxId, machine, code } = query
    const letters = await page(deadLetters.list({ maxId }), {
      limit,
      offset,
      isListed: letter =>
        letter.machine === (machine ?? letter.machine) &&
        letter.failure.code === (code ?? letter.failure.code),
      show: deadLetterResource,
    })
    return letters
  },
})

routes.get('/v2/storage/dead-letters/{letterId}', {
  summary: 'Dead letter detail',
  access: 'project',
  replies: {
    200: 'The dead letter',
    403: 'The token may not manage all buckets',
    404: 'There is no such dead letter',
  },
  reply: deadLetterBody,
  handle: async ({ params }, services) => deadLetterResource(await findDeadLetter(services, params.letterId)),
})

/** Gives the work up. What it was about stays: a file of the landing bucket is still there. */
routes.delete('/v2/storage/dead-letters/{letterId}', {
  summary: 'Delete a dead letter',
  access: 'project',
  replies: {
    204: 'Deleted',
    403: 'The token may not manage all buckets',
    404: 'There is no such dead letter',
  },
  handle: async (request, services) => {
    const letter = await findDeadLetter(services, request.params.letterId)
    await services.deadLetters.delete(letter.id)
    await recordAudit(request, services, 'deadLetterDeleted', deadLetterFacts(letter))
  },
})

/** How many letters are looked at: one of a file that is mended is among the newest. */
const LOOKED_AT = 1_000

/** For the import machine: a file whose import had failed is in its table now, so nobody has to look at the letters about it. */
routes.post('/v2/storage/dead-letters/close', {
  summary: 'Close the dead letters of a file that has been imported since',
  access: 'project',
  body: z.object({
    bucket: text(),
    key: text(),
    sequencer: text().optional(),
    jobId: integer({ min: 1 }),
  }),
  replies: {
    200: 'The ids of those that are closed now, of this version of the file and of earlier ones',
    403: 'The token may not manage all buckets',
  },
  reply: closedBody,
  handle: async (request, services) => {
    const { jobId, ...imported } = request.body
    const closed: string[] = []
    let seen = 0
    for await (const letter of services.deadLetters.list()) {
      if (seen++ === LOOKED_AT) break
      if (letter.closed !== undefined || !isAboutEarlier(letter, imported)) continue
      if (!(await services.deadLetters.close(letter, { at: services.now().toISOString(), jobId }))) continue
      closed.push(String(letter.id))
      const facts = deadLetterFacts(letter)
      await recordAudit(request, services, 'deadLetterClosed', { ...facts, results: { jobId } })
    }
    return { closed }
  },
})

/** The dead letter of a path, or 404 `storage.deadLetters.notFound`. */
export const findDeadLetter = async (
  { deadLetters }: Services,
  letterId: string,
): Promise<DeadLetterRecord> => {
  const id = parseId(letterId)
  const letter = id === undefined ? undefined : await deadLetters.get(id)
  if (!letter)
    throw new UserError(
      'storage.deadLetters.notFound',
      `Dead letter ${letterId.slice(0, 20)} not found. It may have been redriven or deleted.`,
    )
  return letter
}
