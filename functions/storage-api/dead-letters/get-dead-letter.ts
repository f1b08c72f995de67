import { deadLetterBody } from '../../lib/wire/dead-letter-body.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { deadLetterResource } from './dead-letter-resource.ts'
import { findDeadLetter } from './find-dead-letter.ts'

export const getDeadLetter = defineRoute({
  method: 'get',
  path: '/v2/storage/dead-letters/{letterId}',
  summary: 'Dead letter detail',
  tag: 'dead letters',
  access: 'project',
  replies: {
    200: 'The dead letter',
    403: 'The token may not manage all buckets',
    404: 'There is no such dead letter',
  },
  reply: deadLetterBody,
  handle: async ({ params }, services) =>
    ok(deadLetterResource(await findDeadLetter(services, params.letterId))),
})
