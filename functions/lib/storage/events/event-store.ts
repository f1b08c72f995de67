import { z } from 'zod'
import { idSortKey } from '../db/ids.ts'
import { type ItemTable, itemExpiryName } from '../db/item-table.ts'
import { createMonthlyRecords, type IdRange } from '../db/monthly-records.ts'

const eventRecord = z.object({
  id: z.number(),
  uuid: z.string(),
  /** Name of what happened. Empty for events that clients send. */
  event: z.string(),
  component: z.string(),
  message: z.string(),
  description: z.string(),
  type: z.enum(['info', 'success', 'warn', 'error']),
  runId: z.string().nullable(),
  configurationId: z.string().nullable(),
  created: z.string(),
  /** JSON as text. */
  params: z.string(),
  results: z.string(),
  performance: z.string(),
  duration: z.number().nullable(),
  branchId: z.number(),
  /** The table or bucket that it is about, if any. */
  objectType: z.enum(['table', 'bucket']).nullable(),
  objectId: z.string(),
  token: z.object({ id: z.string(), name: z.string() }),
})

export type EventRecord = z.infer<typeof eventRecord>

const storedEvent = eventRecord.extend({ [itemExpiryName]: z.number() })
type EventObject = 'table' | 'bucket' | 'token'

/** DynamoDB may drop an event after a year: nobody looks further back, and events outgrow everything else. */
const KEPT_SECONDS = 365 * 86_400
const PAGE_SIZE = 100

/**
 * Events, newest first. An event about a table, a bucket or a token is stored a second time under its subject, whose
 * list then reads nothing else. A crash in between leaves it out of that list, which is tolerable.
 */
export const createEventStore = (items: ItemTable) => {
  const all = createMonthlyRecords(items, 'EVENTS', item => storedEvent.parse(item))
  const partitionOf = (type: EventObject, id: string) => `EVENTS/${type}/${id}`

  return {
    get: all.get,
    list: all.list,

    /** The events of one table, bucket or token, newest first. */
    listOf: (type: EventObject, id: string) =>
      async function* ({ sinceId = 0, maxId = Number.MAX_SAFE_INTEGER }: IdRange = {}) {
        const range = { from: idSortKey(sinceId + 1), to: idSortKey(maxId - 1) }
        if (range.from > range.to) return
        const newest = { ...range, newestFirst: true, pageSize: PAGE_SIZE }
        for await (const item of items.query(partitionOf(type, id), newest)) yield storedEvent.parse(item)
      },

    async create(nextId: () => number, make: (id: number) => EventRecord): Promise<EventRecord> {
      const event = await all.create(nextId, id => {
        const made = make(id)
        return { ...made, [itemExpiryName]: Math.floor(Date.parse(made.created) / 1000) + KEPT_SECONDS }
      })
      const sk = idSortKey(event.id)
      await items.put({ pk: partitionOf('token', event.token.id), sk }, { ...event })
      if (event.objectType)
        await items.put({ pk: partitionOf(event.objectType, event.objectId), sk }, { ...event })
      return event
    },
  }
}
