import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { isContainer } from '../../lib/json/json-value.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import { isTooDeep, MAX_JSON_DEPTH } from '../../lib/json-shape.ts'
import { defaultBranchId, inBranch } from '../../lib/storage/db/branch-id.ts'
import { eventIdOf } from '../../lib/storage/events/event-uuid.ts'
import { tableIdOf } from '../../lib/storage/tables/table-store.ts'
import { mayUseComponent } from '../../lib/storage/tokens/rights.ts'
import { eventBody } from '../../lib/wire/event-body.ts'
import { findBucket, findTable } from '../find/find-table.ts'
import { text } from '../http/fields.ts'
import { eventMaker } from '../http/record-event.ts'
import { accessDenied, requireMaster } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'
import type { RouteRequest } from '../http/route-definition.ts'
import type { Services } from '../services/services.ts'
import { eventQuery, eventResource, findEvents, mayReadEvent } from './event-query.ts'

export const routes = routesOf('events')

const shared = { query: eventQuery, reply: z.array(eventBody) }

type ListRequest = Pick<
  RouteRequest<unknown, z.output<typeof eventQuery>, unknown>,
  'query' | 'caller' | 'baseUrl' | 'raw'
>

const answer = async (
  list: Parameters<typeof findEvents>[0],
  { query, caller, baseUrl, raw }: ListRequest,
  services: Services,
  branchId?: number,
) => {
  const facts = { projectId: services.projectId, now: services.now() }
  const reader = { caller, ...facts, address: raw.url, ...(branchId !== undefined && { branchId }) }
  return findEvents(list, query, reader, event => eventResource(event, { ...facts, baseUrl }))
}

/** Events of the branch of the path, newest first. */
routes.get('/v2/storage/events', {
  ...shared,
  summary: 'List events',
  replies: { 200: 'The events' },
  handle: (request, services) => {
    const { branchId } = request
    const { list, listOf } = services.events
    const ofBranch = branchId === defaultBranchId ? list : listOf('branch', String(branchId))
    return answer(ofBranch, request, services, branchId)
  },
})

routes.get('/v2/storage/tables/{tableId}/events', {
  ...shared,
  summary: 'List the events of a table',
  replies: { 200: 'The events', 404: 'There is no such table' },
  handle: async (request, services) => {
    const id = tableIdOf(await findTable(services, request.params.tableId))
    return answer(services.events.listOf('table', id), request, services, request.branchId)
  },
})

routes.get('/v2/storage/buckets/{bucketId}/events', {
  ...shared,
  summary: 'List the events of a bucket',
  replies: { 200: 'The events', 404: 'There is no such bucket' },
  handle: async (request, services) => {
    const { id } = await findBucket(services, request.params.bucketId)
    return answer(services.events.listOf('bucket', id), request, services, request.branchId)
  },
})

/** What was done with a token and to it, in the branch of the path. A token may read its own. */
routes.get('/v2/storage/tokens/{tokenId}/events', {
  ...shared,
  summary: 'List the events of a token',
  replies: { 200: 'The events' },
  handle: async (request, services) => {
    const { tokenId } = request.params
    if (tokenId !== request.caller.tokenId) requireMaster(request.caller)
    // An id that cannot be one of ours has no events.
    if (!/^\d{1,16}$/.test(tokenId)) return []
    return answer(services.events.listOf('token', tokenId), request, services, request.branchId)
  },
})

/** One event of the branch of the path, by its id or its UUID. */
routes.get('/v2/storage/events/{eventId}', {
  summary: 'Event detail',
  replies: {
    200: 'The event',
    403: 'The token may not read what the event is about',
    404: 'There is no such event in the branch',
  },
  reply: eventBody,
  handle: async ({ params, caller, branchId, baseUrl }, { events, now }) => {
    const id = eventIdOf(params.eventId)
    const event = id === undefined ? undefined : await events.get(id)
    if (event?.branchId !== branchId) throw new UserError('storage.events.notFound', 'Event not found')
    if (!mayReadEvent(caller, event)) throw accessDenied()
    return eventResource(event, { baseUrl, now: now() })
  },
})

const MAX_BYTES = 200 * 1024
/** Of one text: what a request may hold. The sum is checked below, with its own code. */
const MAX_BODY = 8 * 1024 * 1024

/** An object or a list, as JSON or as text. PHP writes an empty object as an empty list, Go as the text `null`. */
const details = () =>
  z
    .preprocess(
      parsed,
      // Kept as it is: a schema of its fields would put the keys in another order.
      z.custom<object>(value => isContainer(value) && !isTooDeep(value), {
        error: `This value should be an object or a list, nested at most ${MAX_JSON_DEPTH} deep.`,
      }),
    )
    .optional()
    .meta({ type: 'object', additionalProperties: true })

const parsed = (given: unknown): unknown => {
  const value = typeof given === 'string' ? jsonOrText(given) : given
  return value === null || (Array.isArray(value) && value.length === 0) ? {} : value
}

const jsonOrText = (text: string): unknown => {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

/** Stores an event of a component that the caller may use, of at most 200 KB. */
routes.post('/v2/storage/events', {
  summary: 'Create an event',
  body: z.object({
    component: text({ min: 1, max: 255 }),
    message: text({ min: 1, max: MAX_BODY }),
    description: text({ max: MAX_BODY }).default(''),
    type: z
      .enum(['info', 'success', 'warn', 'error'], {
        error: 'This value should be "info", "success", "warn" or "error".',
      })
      .default('info'),
    runId: text({ max: 255 }).optional(),
    configurationId: text({ max: 255 }).optional(),
    params: details(),
    results: details(),
    performance: details(),
    duration: z.coerce.number({ error: 'This value should be a number.' }).min(0).optional(),
  }),
  validationCode: 'storage.events.validation',
  replies: {
    201: 'The event',
    400: '`storage.events.validation`, `requestTooLarge`, `storage.event.schemaValidationFailed`',
    403: 'The token may not use the component that the event names',
    422: '`storage.idempotencyKeyReused`',
  },
  reply: eventBody,
  handle: async (request, services) => {
    if (!mayUseComponent(request.caller, request.body.component)) throw accessDenied()
    const {
      params = {},
      results = {},
      performance = {},
      duration,
      runId,
      configurationId,
      ...given
    } = request.body
    checkEventSchema(given.component, { params, results })
    const texts = {
      params: JSON.stringify(params),
      results: JSON.stringify(results),
      performance: JSON.stringify(performance),
    }
    if (Buffer.byteLength(JSON.stringify({ ...given, ...texts })) > MAX_BYTES)
      throw new UserError('requestTooLarge', `The event is larger than ${MAX_BYTES} bytes.`)
    const content = {
      ...given,
      ...texts,
      event: `ext.${given.component}.${configurationId ?? ''}`,
      duration: duration ?? null,
      configurationId: configurationId ?? null,
    }
    const { caller, idempotencyKey, branchId } = request
    const { events, nextId, now, idempotency } = services
    const make = eventMaker({ ...request, runId: runId ?? request.runId }, now(), content)
    const scope = `${caller.tokenId} events${inBranch(branchId)}`
    const asked = idempotencyKey === undefined ? undefined : { scope, key: idempotencyKey, request: content }
    const event = await events.create(nextId, make, asked && { request: asked, idempotency })
    return eventResource(event, { baseUrl: request.baseUrl, now: services.now() })
  },
})

/** What the events of a component must have: the keys of their `params` and `results`. Of others nothing is checked. */
const requiredKeys: Readonly<Record<string, { params?: readonly string[]; results?: readonly string[] }>> = {
  'keboola.keboola-as-code': { results: ['projectId'] },
}

/** Error: 400 `storage.event.schemaValidationFailed`, which names every key that is missing. */
const checkEventSchema = (component: string, event: { params: object; results: object }): void => {
  const required = Object.hasOwn(requiredKeys, component) ? requiredKeys[component] : undefined
  const errors = (['params', 'results'] as const).flatMap(part =>
    (required?.[part] ?? [])
      .filter(name => !Object.hasOwn(event[part], name))
      .map(name => ({ key: `${part}.${name}`, message: `The property ${name} is required` })),
  )
  if (errors.length === 0) return
  const lines = errors.map(({ key, message }) => `\n - ${key}: "${message}"`)
  throw new UserError('storage.event.schemaValidationFailed', `Invalid event:${lines.join('')}`, {
    params: { errors },
  })
}
