import { z } from '@hono/zod-openapi'
import { tokenBody } from '../../lib/wire/token-body.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { masterTokenResource, tokenResource } from './token-resource.ts'

/** All tokens for the master token, itself for any other. */
export const listTokens = defineRoute({
  method: 'get',
  path: '/v2/storage/tokens',
  summary: 'List tokens',
  tag: 'tokens',
  replies: { 200: 'The tokens, the master token first' },
  reply: z.array(tokenBody),
  handle: async ({ caller, baseUrl }, { tokens, buckets, project, now }) => {
    const facts = { baseUrl, now: now(), bucketIds: (await buckets.list()).map(({ id }) => id) }
    if (caller.token) return ok([tokenResource(caller.token, facts)])
    const master = masterTokenResource(caller.tokenId, await project.created(), facts)
    return ok([master, ...(await tokens.list()).map(token => tokenResource(token, facts))])
  },
})
