import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import type { DeadLetterRecord } from '../../lib/storage/dead-letters/dead-letter-store.ts'
import { redrivenAllBody } from '../../lib/wire/dead-letter-body.ts'
import { text } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { redrivenVersion } from './dead-letter-resource.ts'
import { redrive } from './redrive.ts'

/** Each takes three requests; more would not fit the time of one. */
const MAX_AT_ONCE = 100

export const redriveAllDeadLetters = defineRoute({
  method: 'post',
  path: '/v2/storage/dead-letters/redrive',
  summary: 'Start again all that failed',
  tag: 'dead letters',
  access: 'project',
  body: z.object({ machine: text().optional(), code: text().optional(), version: redrivenVersion }),
  replies: {
    200: `What was started, at most ${MAX_AT_ONCE}; \`hasMore\` when some are left; what cannot be started stays`,
    403: 'The token may not manage all buckets',
  },
  reply: redrivenAllBody,
  handle: async (request, services) => {
    const { machine, code, version } = request.body
    const wanted: DeadLetterRecord[] = []
    let hasMore = false
    for await (const letter of services.deadLetters.list()) {
      const isWanted =
        letter.machine === (machine ?? letter.machine) &&
        letter.failure.code === (code ?? letter.failure.code)
      if (!isWanted) continue
      hasMore = wanted.length === MAX_AT_ONCE
      if (hasMore) break
      wanted.push(letter)
    }
    const redriven: { id: string; execution: string }[] = []
    const refused: { id: string; reason: string }[] = []
    // The oldest first: versions of one file then come in the order in which they landed.
    for (const letter of wanted.reverse()) {
      try {
        redriven.push(await redrive(request, services, letter, version))
      } catch (error) {
        if (!(error instanceof UserError)) throw error
        refused.push({ id: String(letter.id), reason: error.message })
      }
    }
    return ok({ redriven, refused, hasMore })
  },
})
