import { recordEvent } from '../events/record-event.ts'
import { noContent } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { findToken } from './find-token.ts'
import { refuseMaster } from './refuse-master.ts'
import { tokenEvent } from './token-event.ts'

/** Deletes a token. It is refused from the next request on. */
export const deleteToken = defineRoute({
  method: 'delete',
  path: '/v2/storage/tokens/{tokenId}',
  summary: 'Delete a token',
  tag: 'tokens',
  access: 'master',
  replies: { 204: 'Deleted', 404: 'There is no such token' },
  handle: async (request, services) => {
    const { params, caller } = request
    refuseMaster(params.tokenId, caller)
    const token = await findToken(services, params.tokenId)
    await services.tokens.delete(token.id)
    await recordEvent(request, services, tokenEvent('tokenDeleted', token))
    return noContent()
  },
})
