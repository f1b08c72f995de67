import { tokenWithProjectBody } from '../../lib/wire/token-body.ts'
import { ok } from '../http/reply.ts'
import { requireMaster } from '../http/rights.ts'
import { defineRoute } from '../http/route.ts'
import { findToken } from './find-token.ts'
import { tokenWithProject } from './token-with-project.ts'

/** One token, as `verify` shows it, and the admin it belongs to. Each token may read itself. */
export const getToken = defineRoute({
  method: 'get',
  path: '/v2/storage/tokens/{tokenId}',
  summary: 'Token detail',
  tag: 'tokens',
  replies: { 200: 'The token', 403: 'It is another token', 404: 'There is no such token' },
  reply: tokenWithProjectBody,
  handle: async ({ params, caller, baseUrl }, services) => {
    const isOwn = params.tokenId === caller.tokenId
    if (!isOwn) requireMaster(caller)
    const token =
      isOwn && caller.isMaster ? { masterId: caller.tokenId } : await findToken(services, params.tokenId)
    return ok(await tokenWithProject(token, baseUrl, services))
  },
})
