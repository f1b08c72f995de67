import { newTokenBody } from '../../lib/wire/token-body.ts'
import { recordEvent } from '../events/record-event.ts'
import { digestOf } from '../http/authenticate.ts'
import { ok } from '../http/reply.ts'
import { requireMaster } from '../http/rights.ts'
import { defineRoute } from '../http/route.ts'
import { findToken, tokenNotFound } from './find-token.ts'
import { newTokenValue } from './new-token-value.ts'
import { refuseMaster } from './refuse-master.ts'
import { tokenEvent } from './token-event.ts'
import { tokenResource } from './token-resource.ts'

/** Gives a token a new value. The old one is refused from then on. Each token may refresh itself. */
export const refreshToken = defineRoute({
  method: 'post',
  path: '/v2/storage/tokens/{tokenId}/refresh',
  summary: 'Refresh a token',
  tag: 'tokens',
  replies: { 200: 'The token with its new value', 403: 'It is another token', 404: 'There is no such token' },
  reply: newTokenBody,
  handle: async (request, services) => {
    const { params, caller, baseUrl } = request
    const { tokens, buckets, now, projectId } = services
    refuseMaster(params.tokenId, caller)
    if (params.tokenId !== caller.tokenId) requireMaster(caller)
    const { id } = await findToken(services, params.tokenId)
    const value = newTokenValue(projectId, id)
    const at = now().toISOString()
    const token = await tokens.update(id, current => ({
      ...current,
      digest: digestOf(value),
      refreshed: at,
    }))
    if (!token) throw tokenNotFound(params.tokenId)
    await recordEvent(request, services, tokenEvent('tokenRefreshed', token))
    const bucketIds = (await buckets.list()).map(bucket => bucket.id)
    return ok({ ...tokenResource(token, { baseUrl, now: now(), bucketIds }), token: value })
  },
})
