import { z } from 'zod'
import { TransientError } from '../../errors/errors.ts'
import { idSortKey } from '../db/ids.ts'
import { type ItemTable, startingWith } from '../db/item-table.ts'

const triggerRecord = z.object({
  id: z.number(),
  runWithTokenId: z.number(),
  component: z.string(),
  configurationId: z.string(),
  coolDownPeriodMinutes: z.number(),
  tableIds: z.array(z.string()),
  /** When it fired last, or was made: the cool-down begins then. `null` only in triggers of version 0.2. */
  lastRun: z.string().nullable(),
  /** Of each watched table the last import that the trigger has answered. Absent in triggers of version 0.2. */
  answered: z.record(z.string(), z.number()).optional(),
  creatorToken: z.object({ id: z.string(), description: z.string() }),
  revision: z.number(),
})

export type TriggerRecord = z.infer<typeof triggerRecord>

const PARTITION = 'TRIGGERS'
const MAX_UPDATE_ATTEMPTS = 10

/** What to run when tables are imported. */
export const createTriggerStore = (items: ItemTable) => {
  const keyOf = (id: number) => ({ pk: PARTITION, sk: idSortKey(id) })

  const get = async (id: number): Promise<TriggerRecord | undefined> => {
    const item = await items.get(keyOf(id))
    return item && triggerRecord.parse(item)
  }

  return {
    get,

    /** Resolves to false when the id is taken. */
    insert: (trigger: TriggerRecord): Promise<boolean> =>
      items.put(keyOf(trigger.id), { ...trigger }, 'absent'),

    /** Applies a change to the current trigger. Resolves to the changed one, or `undefined` when it does not exist. */
    async update(
      id: number,
      change: (trigger: TriggerRecord) => TriggerRecord,
    ): Promise<TriggerRecord | undefined> {
      for (let attempt = 0; attempt < MAX_UPDATE_ATTEMPTS; attempt++) {
        const trigger = await get(id)
        if (!trigger) return undefined
        const changed = { ...change(trigger), revision: trigger.revision + 1 }
        if (await items.put(keyOf(id), changed, { revision: trigger.revision })) return changed
      }
      throw new TransientError(
        'storage.triggers.busy',
        `The trigger ${id} is being changed by many requests.`,
      )
    },

    delete: (id: number): Promise<boolean> => items.delete(keyOf(id)),

    /** In the order in which they were made. */
    async list(): Promise<TriggerRecord[]> {
      const triggers: TriggerRecord[] = []
      for await (const item of items.query(PARTITION, startingWith('')))
        triggers.push(triggerRecord.parse(item))
      return triggers
    },
  }
}
