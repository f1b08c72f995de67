import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import type { EventRecord } from '../../lib/storage/events/event-store.ts'
import { eventPosition, uuidOfEvent } from '../../lib/storage/events/event-uuid.ts'
import { mayUseBucket, mayUseComponent } from '../../lib/storage/tokens/rights.ts'
import { wireDate } from '../../lib/wire/wire-date.ts'
import { flag, integer, text } from '../http/fields.ts'
import { MAX_PASSED_OVER, page, searchedPage } from '../http/page.ts'
import { matchesPattern, parseQuery, type QueryTerm } from '../http/query-language.ts'
import type { Caller } from '../services/services.ts'

/** The event on the wire (docs/reference/storage-api.md#events). */
export const eventResource = (event: EventRecord, { baseUrl, now }: { baseUrl: string; now: Date }) => ({
  uuid: uuidOfEvent(event.id),
  id: event.id,
  event: event.event,
  component: event.component,
  message: event.message,
  description: event.description,
  type: event.type,
  runId: event.runId,
  created: wireDate(event.created),
  configurationId: event.configurationId,
  objectId: event.objectId === '' ? null : event.objectId,
  objectName: event.objectName,
  objectType: event.objectType,
  context: parseJson(event.context),
  params: parseJson(event.params),
  results: parseJson(event.results),
  performance: {
    ...Object(parseJson(event.performance)),
    ...(event.duration !== null && { duration: event.duration }),
  },
  duration: event.duration,
  token: { id: Number(event.token.id), name: event.token.name },
  idBranch: event.branchId,
  uri: `${baseUrl}/v2/storage/events/${event.id}`,
  attachments: event.attachments.map(({ id, name, isSliced, sizeBytes, created, expires }) => ({
    isSliced,
    uploadType: 'userUpload' as const,
    isExpired: expires !== null && expires <= now.toISOString(),
    name,
    id,
    created: wireDate(created),
    url: `${baseUrl}/v2/storage/files/${id}`,
    sizeBytes,
  })),
})

/**
 * Decides alone who may read an event: its sender, the master token, and everybody who may read what it is about. Those
 * who manage all buckets read all events but those about files and tokens.
 */
export const mayReadEvent = (caller: Caller, event: EventRecord): boolean => {
  if (caller.isMaster || event.token.id === caller.tokenId) return true
  if (event.objectType === 'token') return event.objectId === caller.tokenId
  if (event.objectType === 'file') return caller.canReadAllFileUploads
  if (caller.canManageBuckets) return true
  const bucketId = bucketIdOf(event)
  if (bucketId !== undefined) return mayUseBucket(caller, bucketId, 'read')
  const component = componentOf(event)
  return component !== undefined && mayUseComponent(caller, component)
}

const bucketIdOf = ({ objectType, objectId }: EventRecord): string | undefined => {
  if (objectType === 'bucket') return objectId
  return objectType === 'table' ? objectId.slice(0, Math.max(objectId.lastIndexOf('.'), 0)) : undefined
}

const ofConfiguration = z.object({ component: z.string() })
const ofRow = z.object({ configuration: ofConfiguration })

/** The component whose configuration the event is about. */
const componentOf = ({ objectType, params, configurationId, component }: EventRecord): string | undefined => {
  if (objectType === 'componentConfiguration')
    return ofConfiguration.safeParse(JSON.parse(params)).data?.component
  if (objectType === 'componentConfigurationRow')
    return ofRow.safeParse(JSON.parse(params)).data?.configuration.component
  return configurationId === null ? undefined : component
}

/** The id or the UUID of an event. */
const position = () =>
  text({ max: 50 })
    .transform((given, context) => {
      const found = eventPosition(given)
      if (found !== undefined) return found
      context.addIssue({ code: 'custom', message: 'This value should be the id or the uuid of an event.' })
      return z.NEVER
    })
    .optional()
    .meta({ type: 'string' })

/** Filters that every list of events has. */
export const eventQuery = z.object({
  limit: integer({ max: 10_000 }).default(100),
  offset: integer().default(0),
  sinceId: position(),
  maxId: position(),
  component: text().optional(),
  configurationId: text().optional(),
  runId: text().optional(),
  q: text({ max: 2_000 }).optional(),
  /** Orders by UUID, which is the order anyway. */
  forceUuid: flag().optional(),
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

interface EventReader {
  caller: Caller
  projectId: number
  now: Date
  /** Of the request. */
  address: string
  /** Only the events of this branch. Default: of all. */
  branchId?: number
}

/** Oldest first has to read all events. These bound how many, and what is kept of them. */
const MAX_READ_FOR_ASCENDING = 10_000
const MAX_KEPT_LENGTH = 64_000_000

/** The events that a query asks for and the caller may see, as `show` makes them. Error: 400 `query.syntax`. */
export const findEvents = async <Shown>(
  list: List,
  { limit, offset, sinceId, maxId, sortOrder, q = '', ...filters }: EventQuery,
  { caller, branchId, address, ...facts }: EventReader,
  show: (event: EventRecord) => Shown,
): Promise<Response | Shown[]> => {
  const isFound = parseEventQuery(q, facts)
  const isListed = (event: EventRecord) =>
    event.branchId === (branchId ?? event.branchId) &&
    mayReadEvent(caller, event) &&
    matches(event, filters) &&
    isFound(event)
  const range = list({ sinceId, maxId })
  if (sortOrder === 'desc') return searchedPage(range, { limit, offset, isListed, show, address })
  const oldest: { event: EventRecord; length: number }[] = []
  let read = 0
  let length = 0
  let passedOver = 0
  for await (const event of range) {
    const own = JSON.stringify(event).length
    if (!isListed(event)) {
      passedOver += own
      if (passedOver > MAX_PASSED_OVER) break
      continue
    }
    oldest.push({ event, length: own })
    length += own
    while (oldest.length > offset + limit || length > MAX_KEPT_LENGTH) length -= oldest.shift()?.length ?? 0
    if (++read === MAX_READ_FOR_ASCENDING) break
  }
  return page(oldest.toReversed(), { limit, offset, show: ({ event }) => show(event) })
}

const matches = (
  event: EventRecord,
  { component, configurationId, runId }: Pick<EventQuery, 'component' | 'configurationId' | 'runId'>,
): boolean =>
  (component === undefined || event.component === component) &&
  (configurationId === undefined || event.configurationId === configurationId) &&
  (runId === undefined || isOfRun(event.runId, runId))

/** Runs can start runs: `a` includes the run `a` and all that it started, `a.b`, `a.b.c`. */
const isOfRun = (of: string | null, runId: string): boolean =>
  of === runId || (of?.startsWith(`${runId}.`) ?? false)

interface SearchFacts {
  projectId: number
  now: Date
}

/** Fields whose words are searched. Of every other field the whole value is compared. */
const texts: ReadonlySet<string> = new Set(['message', 'description'])

/**
 * Makes the filter of a search for events: words of their texts, and any field of the resource, such as
 * `event:storage.tableImportDone`, `token.id:42`, `idBranch:1` or `params.component:ex-generic-v2`. The letter case does
 * not matter. An event that lacks the field is not found.
 *
 * Error: 400 `query.syntax`.
 */
const parseEventQuery = (query: string, facts: SearchFacts): ((event: EventRecord) => boolean) =>
  parseQuery(query, { termFilter: term => termFilter(term, facts), refuse: syntaxError })

const termFilter = ({ field, value, isQuoted }: QueryTerm, facts: SearchFacts) => {
  const wanted = value.toLowerCase()
  if (!isQuoted && wanted.startsWith('*')) throw syntaxError('a term may not begin with "*"')
  if (field === undefined) {
    const word = wanted.replace(/\*+$/, '')
    return (event: EventRecord) =>
      [event.message, event.description, event.component, event.event, event.objectId].some(text =>
        text.toLowerCase().includes(word),
      )
  }
  const isMatch = (found: string): boolean => {
    if (texts.has(field))
      return found.includes(isQuoted ? wanted.replace(/\*+$/, '') : wanted.replaceAll('*', ''))
    return isQuoted ? found === wanted : matchesPattern(wanted, found)
  }
  return (event: EventRecord) => valuesOf(event, field, facts).some(found => isMatch(found.toLowerCase()))
}

/** The values of a field like `token.id`. Of a list, each of them. */
const valuesOf = (event: EventRecord, field: string, { projectId, now }: SearchFacts): string[] => {
  const resource = { ...eventResource(event, { baseUrl: '', now }), project: { id: projectId } }
  const found = field.split('.').reduce<unknown>(memberOf, resource)
  return [found].flat().flatMap(value => (isPlain(value) ? [String(value)] : []))
}

const memberOf = (parent: unknown, name: string): unknown =>
  typeof parent === 'object' && parent !== null && Object.hasOwn(parent, name)
    ? Object.entries(parent).find(([key]) => key === name)?.[1]
    : undefined

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

const syntaxError = (reason: string) => new UserError('query.syntax', `Failed to parse query: ${reason}.`)
