import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { tokenBody } from '../../lib/wire/token-body.ts'
import { recordEvent } from '../events/record-event.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { findToken, tokenNotFound } from './find-token.ts'
import { refuseMaster } from './refuse-master.ts'
import { tokenEvent } from './token-event.ts'
import { tokenResource } from './token-resource.ts'
import { readTokenSettings, tokenFields } from './token-settings.ts'

/**
 * Replaces the given settings, bucket permissions and component access as a whole. Whether a token manages all buckets
 * was decided when it was made.
 */
export const updateToken = defineRoute({
  method: 'put',
  path: '/v2/storage/tokens/{tokenId}',
  summary: 'Update a token',
  tag: 'tokens',
  access: 'master',
  body: z.object(tokenFields),
  validationCode: 'storage.tokens.validation',
  replies: { 200: 'The token', 400: '`storage.tokens.invalidPermissions`', 404: 'There is no such token' },
  reply: tokenBody,
  handle: async (request, services) => {
    const { params, body, caller, baseUrl } = request
    const { tokens, buckets, now } = services
    refuseMaster(params.tokenId, caller)
    const { id, canManageBuckets } = await findToken(services, params.tokenId)
    if (body.canManageBuckets !== undefined && body.canManageBuckets !== canManageBuckets)
      throw new UserError(
        'storage.tokens.validation',
        'Invalid request:\n - canManageBuckets: "It cannot be changed: create another token."',
      )
    const settings = await readTokenSettings({ ...body, canManageBuckets }, services)
    const token = await tokens.update(id, current => ({ ...current, ...settings }))
    if (!token) throw tokenNotFound(params.tokenId)
    await recordEvent(request, services, tokenEvent('tokenUpdated', token))
    const bucketIds = (await buckets.list()).map(bucket => bucket.id)
    return ok(tokenResource(token, { baseUrl, now: now(), bucketIds }))
  },
})
