import * as z from 'zod/mini'
import type { TriggerRecord } from '../../lib/storage/triggers/trigger-store.ts'
import { described } from '../../lib/wire/described.ts'
import { creatorToken, wireDateText } from '../../lib/wire/fields.ts'
import { wireDate } from '../../lib/wire/wire-date.ts'

/** The trigger on the wire (docs/reference/storage-api.md#triggers). */
export const triggerResource = (trigger: TriggerRecord) => ({
  id: String(trigger.id),
  runWithTokenId: trigger.runWithTokenId,
  component: trigger.component,
  configurationId: trigger.configurationId,
  lastRun: wireDate(trigger.lastRun),
  creatorToken: { id: Number(trigger.creatorToken.id), description: trigger.creatorToken.description },
  coolDownPeriodMinutes: trigger.coolDownPeriodMinutes,
  tables: trigger.tableIds.map(tableId => ({ tableId })),
})

export const triggerBody = z
  .object({
    id: z.string(),
    runWithTokenId: z.int(),
    component: z.string(),
    configurationId: z.string(),
    lastRun: z.nullable(wireDateText),
    creatorToken,
    coolDownPeriodMinutes: z.int(),
    tables: z.array(z.object({ tableId: z.string() })),
  })
  .register(described, { name: 'Trigger' })
