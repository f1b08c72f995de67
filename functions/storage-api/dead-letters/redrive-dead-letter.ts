import { z } from '@hono/zod-openapi'
import { redrivenBody } from '../../lib/wire/dead-letter-body.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { redrivenVersion } from './dead-letter-resource.ts'
import { findDeadLetter } from './find-dead-letter.ts'
import { redrive } from './redrive.ts'

export const redriveDeadLetter = defineRoute({
  method: 'post',
  path: '/v2/storage/dead-letters/{letterId}/redrive',
  summary: 'Start again what failed',
  tag: 'dead letters',
  access: 'project',
  body: z.object({ version: redrivenVersion }),
  replies: {
    200: 'The execution that was started',
    400: '`storage.deadLetters.notRedrivable`',
    403: 'The token may not manage all buckets',
    404: 'There is no such dead letter',
  },
  reply: redrivenBody,
  handle: async (request, services) =>
    ok(
      await redrive(
        request,
        services,
        await findDeadLetter(services, request.params.letterId),
        request.body.version,
      ),
    ),
})
