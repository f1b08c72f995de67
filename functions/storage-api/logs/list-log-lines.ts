import { z } from '@hono/zod-openapi'
import { logLinesBody } from '../../lib/wire/run-body.ts'
import { text } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { MAX_LINES } from '../services/read-log-lines.ts'

/** On one machine it reads the functions' log files; in an account it names the query of CloudWatch Logs Insights. */
export const listLogLines = defineRoute({
  method: 'get',
  path: '/v2/storage/logs',
  summary: 'Log lines of a job or run',
  tag: 'runs',
  access: 'project',
  query: z.object({
    correlationId: text({ max: 200 }).refine(
      id => /^[\w.:-]+$/.test(id),
      'A correlation id has letters, digits and the characters _ . : - only.',
    ),
  }),
  replies: {
    200: `The newest lines, at most ${MAX_LINES}, the oldest first; or where they are`,
    400: 'The correlation id is missing or none',
    403: 'The token may not manage all buckets',
  },
  reply: logLinesBody,
  handle: async ({ query }, { workLogs }) => ok(await workLogs(query.correlationId)),
})
