import { UserError } from '../../lib/errors/errors.ts'
import { recordEvent } from '../events/record-event.ts'
import { noContent } from '../http/reply.ts'
import { requireMaster } from '../http/rights.ts'
import { defineRoute } from '../http/route.ts'
import type { Services } from '../services.ts'
import { findToken } from './find-token.ts'
import { refuseMaster } from './refuse-master.ts'
import { tokenEvent } from './token-event.ts'

/** Deletes a token. It is refused from the next request on. Each token may delete itself. */
export const deleteToken = defineRoute({
  method: 'delete',
  path: '/v2/storage/tokens/{tokenId}',
  summary: 'Delete a token',
  tag: 'tokens',
  replies: {
    204: 'Deleted',
    400: '`storage.tokens.cannotDeleteDueToOrchestration`',
    403: 'It is another token',
    404: 'There is no such token',
  },
  handle: async (request, services) => {
    const { params, caller } = request
    refuseMaster(params.tokenId, caller)
    if (params.tokenId !== caller.tokenId) requireMaster(caller)
    const token = await findToken(services, params.tokenId)
    await refuseWhileTriggered(token.id, services)
    await services.tokens.delete(token.id)
    await recordEvent(request, services, tokenEvent('tokenDeleted', token))
    return noContent()
  },
})

/** A trigger could not run without its token. */
const refuseWhileTriggered = async (
  tokenId: number,
  { triggers }: Pick<Services, 'triggers'>,
): Promise<void> => {
  const trigger = (await triggers.list()).find(({ runWithTokenId }) => runWithTokenId === tokenId)
  if (trigger)
    throw new UserError(
      'storage.tokens.cannotDeleteDueToOrchestration',
      "Cannot delete token, because it's used for event trigger inside component " +
        `"${trigger.component}" with configuration id "${trigger.configurationId}"`,
    )
}
