import { UserError } from '../../lib/errors/errors.ts'
import { parseId } from '../../lib/storage/db/ids.ts'
import type { TriggerRecord } from '../../lib/storage/triggers/trigger-store.ts'
import type { Caller } from '../http/authenticate.ts'
import type { Services } from '../services.ts'
import { findTable } from '../tables/find-table.ts'
import { findToken } from '../tokens/find-token.ts'

type Checked = Partial<Pick<TriggerRecord, 'tableIds' | 'runWithTokenId'>>

/** Checks that the tables and the token of a trigger exist. Errors: 404 of each. */
export const checkTrigger = async (
  { tableIds = [], runWithTokenId }: Checked,
  caller: Caller,
  services: Services,
): Promise<void> => {
  for (const tableId of tableIds) await findTable(services, tableId)
  if (runWithTokenId !== undefined && String(runWithTokenId) !== caller.tokenId)
    await findToken(services, String(runWithTokenId))
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
