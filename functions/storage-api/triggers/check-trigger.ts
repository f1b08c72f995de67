import { UserError } from '../../lib/errors/errors.ts'
import { parseId } from '../../lib/storage/db/ids.ts'
import type { TriggerRecord } from '../../lib/storage/triggers/trigger-store.ts'
import type { Caller } from '../http/authenticate.ts'
import { requireTable } from '../http/rights.ts'
import type { Services } from '../services.ts'
import { findTable } from '../tables/find-table.ts'
import { requireNoMoreRights } from './trigger-rights.ts'

type Checked = Partial<Pick<TriggerRecord, 'tableIds' | 'runWithTokenId'>>

/**
 * Checks the token of a trigger, then its tables: they exist, and the caller may use them.
 *
 * Errors: 404 `storage.tokens.notFound`, 400 `storage.triggers.tokenExpires`, 404 `storage.tables.notFound`, 403
 * `accessDenied`.
 */
export const checkTrigger = async (
  { tableIds = [], runWithTokenId }: Checked,
  caller: Caller,
  services: Services,
): Promise<void> => {
  if (runWithTokenId !== undefined) await checkToken(runWithTokenId, caller, services)
  for (const tableId of tableIds) {
    requireTable(caller, tableId, 'read')
    await findTable(services, tableId)
  }
}

const checkToken = async (
  tokenId: number,
  caller: Caller,
  { tokens }: Pick<Services, 'tokens'>,
): Promise<void> => {
  // Its own record does not exist, and it never expires.
  if (caller.isMaster && String(tokenId) === caller.tokenId) return
  const token = await tokens.get(tokenId)
  if (!token) throw new UserError('storage.tokens.notFound', `Token with id "${tokenId}" was not found.`)
  if (token.expires !== null)
    throw new UserError(
      'storage.triggers.tokenExpires',
      "The 'runByToken' has expiration set. Use token without expiration.",
    )
  requireNoMoreRights(caller, token)
}

/** The trigger of a path, or 404 `storage.triggers.notFound`. */
export const findTrigger = async (
  { triggers }: Pick<Services, 'triggers'>,
  triggerId: string,
): Promise<TriggerRecord> => {
  const id = parseId(triggerId)
  const trigger = id === undefined ? undefined : await triggers.get(id)
  if (!trigger) throw triggerNotFound(triggerId)
  return trigger
}

export const triggerNotFound = (triggerId: string): UserError =>
  new UserError('storage.triggers.notFound', `Trigger ${triggerId.slice(0, 20)} not found`)
