import { z } from '@hono/zod-openapi'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { masterTokenResource, tokenBody, tokenResource } from './token-resource.ts'

export const listTokens = defineRoute({
  method: 'get',
  path: '/v2/storage/tokens',
  summary: 'List tokens',
  tag: 'tokens',
  access: 'master',
  replies: { 200: 'The tokens, the master token first', 403: 'The token is not the master token' },
  reply: z.array(tokenBody),
  handle: async ({ caller, baseUrl }, { tokens, buckets, project, now }) => {
    const facts = { baseUrl, now: now(), bucketIds: (await buckets.list()).map(({ id }) => id) }
    const master = masterTokenResource(caller.tokenId, await project.created(), facts)
    return ok([master, ...(await tokens.list()).map(token => tokenResource(token, facts))])
  },
})
