import { z } from 'zod'
import type { ItemTable } from '../../items/item-table.ts'
import { createRevisedRecords } from '../db/revised-records.ts'

const triggerRecord = z.object({
  id: z.number(),
  runWithTokenId: z.number(),
  component: z.string(),
  configurationId: z.string(),
  coolDownPeriodMinutes: z.number(),
  tableIds: z.array(z.string()),
  /** When it fired last, or was made: the cool-down begins then. */
  lastRun: z.string(),
  /** Of each watched table the last import that the trigger has answered. */
  answered: z.record(z.string(), z.number()),
  creatorToken: z.object({ id: z.string(), description: z.string() }),
  /** The tokens that stored its settings: a run may do no more than they and `runWithTokenId`. */
  authors: z.array(z.object({ id: z.string(), description: z.string() })),
  revision: z.number(),
})

export type TriggerRecord = z.infer<typeof triggerRecord>

/** What to run when tables are imported. */
export const createTriggerStore = (items: ItemTable) =>
  createRevisedRecords(items, {
    partition: 'TRIGGERS',
    schema: triggerRecord,
    name: 'trigger',
    busyCode: 'storage.triggers.busy',
  })
