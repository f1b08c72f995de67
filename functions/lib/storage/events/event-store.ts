import { z } from 'zod'
import { expiringIn, type ItemTable, type ItemWrite, itemExpiryName } from '../../items/item-table.ts'
import { defaultBranchId } from '../db/branch-id.ts'
import type { Once } from '../db/idempotency-store.ts'
import { idSortKey, type NextId } from '../db/ids.ts'
import { type IdRange, querySpread, shardOf } from '../db/spread.ts'
import { createSpreadRecords } from '../db/spread-records.ts'

/** A file that the event is about, as it was then. */
const attachment = z.object({
  id: z.number(),
  name: z.string(),
  isSliced: z.boolean(),
  sizeBytes: z.number(),
  created: z.string(),
  /** ISO 8601; `null`: never. */
  expires: z.string().nullable(),
})

const eventRecord = z.object({
  id: z.number(),
  /** Name of what happened: `storage.bucketCreated`, or `ext.<component>.<configuration>` for events of components. */
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
  /** How the request came. */
  context: z.string(),
  duration: z.number().nullable(),
  branchId: z.number(),
  /** What it is about, if anything: `table`, `bucket`, `componentConfiguration` and so on. */
  objectType: z.string().nullable(),
  objectId: z.string(),
  objectName: z.string().nullable().default(null),
  attachments: z.array(attachment).default([]),
  token: z.object({ id: z.string(), name: z.string() }),
})

export type EventRecord = z.infer<typeof eventRecord>

/** What an event says where its maker says nothing. */
export const emptyEvent = {
  event: '',
  description: '',
  configurationId: null,
  params: '{}',
  results: '{}',
  performance: '{}',
  duration: null,
  objectType: null,
  objectId: '',
  objectName: null,
  attachments: [],
} satisfies Partial<EventRecord>

const storedEvent = eventRecord.extend({ [itemExpiryName]: z.number() })
type StoredEvent = z.infer<typeof storedEvent>

/** What has a list of events of its own. */
type Subject = 'table' | 'bucket' | 'token' | 'branch'
const subjects: ReadonlySet<string | null> = new Set(['table', 'bucket', 'token'])

/** DynamoDB may drop an event after a year: nobody looks further back, and events outgrow everything else. */
const KEPT_DAYS = 365
const kept = (event: EventRecord): StoredEvent => ({
  ...event,
  ...expiringIn(KEPT_DAYS, new Date(event.created)),
})

/** As much as a client's own event may have. */
const MOST_BYTES = 200 * 1024

/** What tells of a change never keeps it from being made: it says what it leaves out. */
const withinBounds = (event: EventRecord): EventRecord =>
  Buffer.byteLength(JSON.stringify(event)) <= MOST_BYTES
    ? event
    : { ...event, params: JSON.stringify({ leftOut: 'These parameters are larger than an event is.' }) }

/**
 * Events, newest first. An event about a table, a bucket or a token, and one of a development branch, is stored again
 * under its subject, whose list then reads nothing else; all in one transaction.
 */
export const createEventStore = (items: ItemTable) => {
  const all = createSpreadRecords(items, 'EVENTS', item => storedEvent.parse(item))
  const partitionOf = (type: Subject, id: string) => `EVENTS/${type}/${id}`

  /** The sender has the event in its list, whatever it is about. */
  const partitionsOf = ({ token, branchId, objectType, objectId }: EventRecord): Set<string> =>
    new Set([
      partitionOf('token', token.id),
      ...(subjects.has(objectType) && objectId !== '' ? [`EVENTS/${objectType}/${objectId}`] : []),
      ...(branchId === defaultBranchId ? [] : [partitionOf('branch', String(branchId))]),
    ])

  const copies = (event: EventRecord): ItemWrite[] =>
    [...partitionsOf(event)].map(partition => ({
      action: 'put',
      key: { pk: shardOf(partition, event.id), sk: idSortKey(event.id) },
      item: { ...event },
    }))

  return {
    get: all.get,
    list: all.list,

    /** The events of one table, bucket, token or development branch, newest first. */
    listOf: (type: Subject, id: string) =>
      async function* (range: IdRange = {}) {
        for await (const item of querySpread(items, partitionOf(type, id), range))
          yield storedEvent.parse(item)
      },

    /** For the transaction of what it tells. Together with its lists it is four items at most. */
    telling(event: EventRecord): ItemWrite[] {
      const stored = kept(withinBounds(event))
      return [all.writing(stored, 'absent'), ...copies(stored)]
    },

    /** `once`: or the one that an earlier attempt of the request has stored. */
    create: (nextId: NextId, make: (id: number) => EventRecord, once?: Once): Promise<EventRecord> =>
      all.create(nextId, id => kept(make(id)), { also: copies, once }),
  }
}
