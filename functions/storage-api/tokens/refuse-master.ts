import { UserError } from '../../lib/errors/errors.ts'
import type { Caller } from '../http/authenticate.ts'

/** The master token is the stack's secret and is changed there. Error: 400 `storage.tokens.masterToken`. */
export const refuseMaster = (tokenId: string, caller: Caller): void => {
  if (caller.isMaster && tokenId === caller.tokenId)
    throw new UserError(
      'storage.tokens.masterToken',
      'The master token cannot be changed here. It is a secret of the stack: give the secret another value.',
    )
}
