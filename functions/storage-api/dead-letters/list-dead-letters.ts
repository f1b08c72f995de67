import { z } from '@hono/zod-openapi'
import { deadLetterBody } from '../../lib/wire/dead-letter-body.ts'
import { integer, text } from '../http/fields.ts'
import { page } from '../http/page.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { deadLetterResource } from './dead-letter-resource.ts'

/** What failed and has not been redriven or deleted since. */
export const listDeadLetters = defineRoute({
  method: 'get',
  path: '/v2/storage/dead-letters',
  summary: 'List dead letters',
  tag: 'dead letters',
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
    return ok(letters)
  },
})
