import { tokenWithProjectBody } from '../../lib/wire/token-body.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { tokenWithProject } from './token-with-project.ts'

/**
 * What the token of the request may do, and in which project (docs/reference/storage-api.md#tokens-and-rights). Does
 * not repeat the token.
 */
export const verifyToken = defineRoute({
  method: 'get',
  path: '/v2/storage/tokens/verify',
  summary: 'Verify the token of the request',
  tag: 'tokens',
  replies: { 200: 'The token and its project', 401: 'No token, or an invalid one' },
  reply: tokenWithProjectBody,
  handle: async ({ caller, baseUrl }, services) =>
    ok(await tokenWithProject(caller.token ?? { masterId: caller.tokenId }, baseUrl, services)),
})
