import { z } from '@hono/zod-openapi'
import type { EventRecord } from '../../lib/storage/events/event-store.ts'
import type { Caller } from '../http/authenticate.ts'
import { integer, text } from '../http/fields.ts'
import { page } from '../http/page.ts'
import { mayReadEvent } from './may-read-event.ts'

/** Filters that every list of events has. */
export const eventQuery = z.object({
  limit: integer({ max: 1000 }).default(100),
  offset: integer().default(0),
  sinceId: integer().optional(),
  maxId: integer({ min: 1 }).optional(),
  component: text().optional(),
  configurationId: text().optional(),
  runId: text().optional(),
  q: text({ max: 1000 }).optional(),
  sortOrder: z.preprocess(
    value => (typeof value === 'string' ? value.toLowerCase() : value),
    z.enum(['asc', 'desc'], { error: 'This value should be "asc" or "desc".' }).default('desc'),
  ),
})

type EventQuery = z.output<typeof eventQuery>
type List = (range: {
  sinceId?: number | undefined
  maxId?: number | undefined
}) => AsyncIterable<EventRecord>

/** Oldest first has to read all events. This bounds how many. */
const MAX_READ_FOR_ASCENDING = 10_000

/** The events that a query asks for and the caller may see. */
export const findEvents = async (
  list: List,
  { limit, offset, sinceId, maxId, sortOrder, ...filters }: EventQuery,
  caller: Caller,
): Promise<EventRecord[]> => {
  const isListed = (event: EventRecord) => mayReadEvent(caller, event) && matches(event, filters)
  const range = list({ sinceId, maxId })
  if (sortOrder === 'desc') return page(range, { limit, offset, isListed })
  const found = await page(range, { limit: MAX_READ_FOR_ASCENDING, offset: 0, isListed })
  return found.toReversed().slice(offset, offset + limit)
}

const matches = (
  event: EventRecord,
  { component, configurationId, runId, q }: Pick<EventQuery, 'component' | 'configurationId' | 'runId' | 'q'>,
): boolean =>
  (component === undefined || event.component === component) &&
  (configurationId === undefined || event.configurationId === configurationId) &&
  (runId === undefined || isOfRun(event.runId, runId)) &&
  (q === undefined || isFound(event, q))

/** Runs can start runs: `a` includes the run `a` and all that it started, `a.b`, `a.b.c`. */
const isOfRun = (of: string | null, runId: string): boolean =>
  of === runId || (of?.startsWith(`${runId}.`) ?? false)

/** Every word must occur in the event. `type:error` and the like search one field. */
const isFound = (event: EventRecord, q: string): boolean =>
  q
    .split(/\s+(?:AND\s+)?/)
    .filter(Boolean)
    .every(term => {
      const [, field, wanted] =
        /^(type|event|component|configurationId|runId|message):"?([^"]+)"?$/.exec(term) ?? []
      const word = (wanted ?? term).replaceAll('"', '').toLowerCase()
      // The pattern above matches fields of the event only.
      if (field)
        return String(event[field as keyof EventRecord] ?? '')
          .toLowerCase()
          .includes(word)
      return [event.message, event.description, event.component, event.event, event.params].some(text =>
        text.toLowerCase().includes(word),
      )
    })
