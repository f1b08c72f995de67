import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { text } from '../http/fields.ts'
import { defineRoute } from '../http/route.ts'
import { findToken } from './find-token.ts'

/** Not offered: values of tokens are not stored, and the stack sends no mail. */
export const shareToken = defineRoute({
  method: 'post',
  path: '/v2/storage/tokens/{tokenId}/share',
  summary: 'Share a token by mail (not offered)',
  tag: 'tokens',
  access: 'master',
  body: z.object({ recipientEmail: text({ min: 3, max: 320 }), message: text().default('') }),
  validationCode: 'storage.tokens.validation',
  replies: {
    400: '`storage.token.cannotShareMasterToken`',
    404: 'There is no such token',
    501: '`notImplemented`: hand over the value that create or refresh shows',
  },
  handle: async ({ params, caller }, services) => {
    if (params.tokenId === caller.tokenId)
      throw new UserError('storage.token.cannotShareMasterToken', 'The master token cannot be shared.')
    await findToken(services, params.tokenId)
    throw new UserError(
      'notImplemented',
      'Tokens are not sent by mail: their values are not stored. Refresh the token and hand over its new value.',
    )
  },
})
