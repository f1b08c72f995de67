import { z } from '@hono/zod-openapi'
import type { TokenRecord } from '../../lib/storage/tokens/token-store.ts'
import { newTokenBody } from '../../lib/wire/token-body.ts'
import { recordEvent } from '../events/record-event.ts'
import { digestOf } from '../http/authenticate.ts'
import { created } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { newTokenValue } from './new-token-value.ts'
import { tokenEvent } from './token-event.ts'
import { tokenResource } from './token-resource.ts'
import { readTokenSettings, tokenFields } from './token-settings.ts'

/** Creates a token. Only this reply ever shows its value. */
export const createToken = defineRoute({
  method: 'post',
  path: '/v2/storage/tokens',
  summary: 'Create a token',
  tag: 'tokens',
  access: 'master',
  body: z.object(tokenFields),
  validationCode: 'storage.tokens.validation',
  replies: {
    201: 'The token with its value',
    400: '`storage.tokens.invalidPermissions`',
    403: 'The token is not the master token',
  },
  reply: newTokenBody,
  handle: async (request, services) => {
    const { body, caller, baseUrl } = request
    const { tokens, totals, nextId, now, projectId } = services
    const settings = await readTokenSettings(body, services)
    const at = now().toISOString()
    for (;;) {
      const id = nextId()
      const value = newTokenValue(projectId, id)
      const token: TokenRecord = {
        id,
        description: `Created by ${caller.description}`,
        digest: digestOf(value),
        created: at,
        refreshed: at,
        expires: null,
        canManageBuckets: false,
        canReadAllFileUploads: false,
        canPurgeTrash: false,
        bucketPermissions: {},
        componentAccess: null,
        creatorToken: { id: caller.tokenId, description: caller.description },
        ...settings,
        revision: 1,
      }
      // Skips an id that another process took in the same millisecond.
      if (!(await tokens.insert(token))) continue
      await recordEvent(request, services, tokenEvent('tokenCreated', token))
      const bucketIds = (await totals.bucketNames()).map(({ id }) => id)
      return created({ ...tokenResource(token, { baseUrl, now: now(), bucketIds }), token: value })
    }
  },
})
