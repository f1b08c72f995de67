import { noContent } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { findToken } from './find-token.ts'
import { refuseMaster } from './refuse-master.ts'

/** Deletes a token. It is refused from the next request on. */
export const deleteToken = defineRoute({
  method: 'delete',
  path: '/v2/storage/tokens/{tokenId}',
  summary: 'Delete a token',
  tag: 'tokens',
  access: 'master',
  replies: { 204: 'Deleted', 404: 'There is no such token' },
  handle: async ({ params, caller }, services) => {
    refuseMaster(params.tokenId, caller)
    const { id } = await findToken(services, params.tokenId)
    await services.tokens.delete(id)
    return noContent()
  },
})
