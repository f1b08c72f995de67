import { ok } from '../http/reply.ts'
import { requireMaster } from '../http/rights.ts'
import { defineRoute } from '../http/route.ts'
import { findToken } from './find-token.ts'
import { masterTokenResource, tokenBody, tokenResource } from './token-resource.ts'

/** One token. Each token may read itself. */
export const getToken = defineRoute({
  method: 'get',
  path: '/v2/storage/tokens/{tokenId}',
  summary: 'Token detail',
  tag: 'tokens',
  replies: { 200: 'The token', 403: 'It is another token', 404: 'There is no such token' },
  reply: tokenBody,
  handle: async ({ params, caller, baseUrl }, services) => {
    const { buckets, project, now } = services
    const isOwn = params.tokenId === caller.tokenId
    if (!isOwn) requireMaster(caller)
    const facts = { baseUrl, now: now(), bucketIds: (await buckets.list()).map(({ id }) => id) }
    if (isOwn && caller.isMaster)
      return ok(masterTokenResource(caller.tokenId, await project.created(), facts))
    return ok(tokenResource(await findToken(services, params.tokenId), facts))
  },
})
