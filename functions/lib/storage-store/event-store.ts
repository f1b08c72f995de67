import { z } from 'zod'
import type { ItemTable } from './item-table.ts'
import { createMonthlyRecords } from './monthly-records.ts'

const eventRecord = z.object({
  id: z.number(),
  uuid: z.string(),
  /** Name of what happened; empty for events that clients send. */
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
  /** What it is about, when it is about a table or a bucket. */
  objectType: z.enum(['table', 'bucket']).nullable(),
  objectId: z.string(),
  token: z.object({ id: z.string(), name: z.string() }),
})

export type EventRecord = z.infer<typeof eventRecord>
export type EventObject = 'table' | 'bucket' | 'token'

/**
 * Events, newest first as files and jobs are. What has a list of its own (a table, a bucket, a token) gets a copy of its
 * events under its name, so that its list reads no others. A crash in between leaves one out, which is no harm.
 */
export const createEventStore = (items: ItemTable) => {
  const all = createMonthlyRecords(items, 'EVENTS', item => eventRecord.parse(item))
  // One for each object that has events; the months that are noted in it make the next event cheaper.
  const ofObject = (type: EventObject, id: string) =>
    createMonthlyRecords(items, `EVENTS/${type}/${id}`, item => eventRecord.parse(item))

  return {
    get: all.get,
    list: all.list,
    listOf: (type: EventObject, id: string) => ofObject(type, id).list,

    async create(nextId: () => number, make: (id: number) => EventRecord): Promise<EventRecord> {
      const event = await all.create(nextId, make)
      await ofObject('token', event.token.id).insert(event)
      if (event.objectType) await ofObject(event.objectType, event.objectId).insert(event)
      return event
    },
  }
}

export type EventStore = ReturnType<typeof createEventStore>
