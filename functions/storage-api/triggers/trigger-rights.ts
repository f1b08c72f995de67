import { UserError } from '../../lib/errors/errors.ts'
import { mayDoAsMuch, mayUseComponent } from '../../lib/storage/tokens/rights.ts'
import type { TokenRecord } from '../../lib/storage/tokens/token-store.ts'
import type { TriggerRecord } from '../../lib/storage/triggers/trigger-store.ts'
import { accessDenied } from '../http/rights.ts'
import type { Caller } from '../services/services.ts'

/** Throws 403 `accessDenied` unless the caller may use every one of these components. */
export const requireComponents = (caller: Caller, components: readonly string[]): void => {
  const missing = [...new Set(components)].filter(component => !mayUseComponent(caller, component))
  if (missing.length > 0)
    throw new UserError(
      'accessDenied',
      'Your token does not have sufficient privilege. Token is neither admin token nor does it have ' +
        `canManageBucket permission nor does it have access to component(s) "${missing.join(', ').slice(0, 500)}".`,
    )
}

/** The triggers that a caller may see. Throws 403 `accessDenied` when it may use no component at all. */
export const visibleTriggers = (caller: Caller, triggers: readonly TriggerRecord[]): TriggerRecord[] => {
  if (!caller.canManageBuckets && caller.componentAccess.length === 0) throw accessDenied()
  return triggers.filter(({ component }) => mayUseComponent(caller, component))
}

/** Only the master token lets runs have its own rights. Error: 403 `accessDenied`. */
export const requireMasterFor = (caller: Caller): void => {
  if (!caller.isMaster)
    throw new UserError(
      'accessDenied',
      "The 'runByToken' cannot be admin's token when your main token is not admin's",
    )
}

/**
 * Refuses a token for the runs of a trigger that may do more than the caller: the caller would gain rights by it. Error:
 * 403 `accessDenied`.
 */
export const requireNoMoreRights = (caller: Caller, token: TokenRecord): void => {
  if (caller.isMaster || String(token.id) === caller.tokenId) return
  if (!mayDoAsMuch(caller, { ...token, componentAccess: token.componentAccess ?? [] }))
    throw new UserError(
      'accessDenied',
      "The 'runByToken' may do more than your token. Name a token that may do at most as much.",
    )
}
