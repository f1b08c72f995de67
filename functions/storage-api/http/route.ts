import { z } from 'zod'
import { errorBody } from '../../lib/wire/error-body.ts'
import { jobBody } from '../../lib/wire/job-body.ts'
import type { Services } from '../services/services.ts'
import { checkFields, formValue, withoutUnset } from './check-fields.ts'
import { integer } from './fields.ts'
import { cutList } from './page.ts'
import { parseFields } from './parse-fields.ts'
import { readBody } from './read-body.ts'
import { replyWith } from './reply.ts'
import { checkPath } from './rights.ts'
import type { ParamName, RouteDefinition, RouteRequest } from './route-definition.ts'

type Method = 'get' | 'post' | 'put' | 'delete'

/** What the OpenAPI document says of a route. */
export interface DescribedRoute
  extends Omit<RouteDefinition<string, z.ZodType, z.ZodType>, 'handle' | 'access'> {
  method: Method
  path: string
  tag: string
}

/** A route as the app mounts it. */
export interface Route {
  isPublic: boolean
  method: Method
  /** In the router's own notation, `/v2/storage/buckets/:bucketId`. */
  routerPath: string
  /** Matches the paths of the route, for any method. */
  pathPattern: RegExp
  tag: string
  definition: DescribedRoute
  /** The body of a reply with this status. `undefined` when it is not JSON. */
  replySchema: (status: number) => z.core.$ZodType | undefined
  answer: (request: IncomingRequest, services: Services) => Promise<Response>
}

type IncomingRequest = Omit<
  RouteRequest<Record<string, string>, never, never>,
  'query' | 'body' | 'sent' | 'passedOver'
> & {
  searchParams: URLSearchParams
}

const nothing = z.object({})

/** Defines one route at a path such as `/v2/storage/buckets/{bucketId}`. It also exists below every branch and with a trailing slash. */
type DefineRoute = <
  const Path extends string,
  Query extends z.ZodType = typeof nothing,
  Body extends z.ZodType = typeof nothing,
>(
  path: Path,
  definition: RouteDefinition<Path, Query, Body>,
) => void

interface TaggedRoutes extends Readonly<Record<Method, DefineRoute>> {
  /** In the order in which they were defined. */
  list: readonly Route[]
}

/**
 * The routes of a tag. The schemas of each read the request, type the handler and describe the route in the OpenAPI
 * document, so that the three cannot disagree. A parameter that no schema has is passed over and said, unless it looks
 * like one that was misspelt, or the route refuses others.
 */
export const routesOf = (tag: string): TaggedRoutes => {
  const list: Route[] = []
  const defining =
    (method: Method): DefineRoute =>
    (path, definition) => {
      list.push(routeOf({ method, path, tag }, definition))
    }
  return {
    list,
    get: defining('get'),
    post: defining('post'),
    put: defining('put'),
    delete: defining('delete'),
  }
}

const routeOf = <Path extends string, Query extends z.ZodType, Body extends z.ZodType>(
  place: { method: Method; path: Path; tag: string },
  definition: RouteDefinition<Path, Query, Body>,
): Route => {
  const { method, path, tag } = place
  const { isPublic = false, validationCode = 'storage.validation', handle } = definition
  // `nothing` is the default of both type parameters, so it is what they are when no schema is given.
  const querySchema = definition.query ?? (nothing as unknown as Query)
  const isList = method === 'get' && definition.reply?._zod.def.type === 'array'
  const bodySchema = definition.body ?? (nothing as unknown as Body)
  const slashes = definition.lastParamTakesSlashes ? '{.+}' : ''

  return {
    isPublic,
    method,
    routerPath: `${path.replaceAll(/\{(\w+)\}/g, ':$1')}${slashes}`,
    pathPattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    tag,
    definition: { ...definition, ...place },
    replySchema: status => replySchema(definition, status),
    answer: async ({ searchParams, ...request }, services) => {
      if (!isPublic) checkPath(request.caller, method, request.params, definition.access)
      const asked = parseFields(searchParams, repeatedIn(querySchema))
      const skip = isList && !hasOffset(querySchema) ? takeOffset(asked) : 0
      const passedOver: string[] = []
      const others = definition.refusesOthers ? undefined : passedOver
      const query = checkFields(querySchema, withoutBlank(asked), validationCode, others)
      const given = definition.body ? await readBody(request.raw, bodySchema) : {}
      const fields = definition.keepsNull ? given : withoutUnset(bodySchema, given)
      const body = checkFields(bodySchema, fields, validationCode, others)
      // The router has matched the path, so the parameters exist.
      const params = request.params as Record<ParamName<Path>, string>
      const sent = { route: `${method} ${path}`, params, query, body }
      const answer = await handle({ ...request, params, query, body, sent, passedOver }, services)
      const whole = answer instanceof Response ? answer : replyWith(answer, definition.replies)
      const reply =
        isList && whole.status === 200 ? await cutList(whole, new URL(request.raw.url), skip) : whole
      if (passedOver.length > 0)
        reply.headers.set('X-Millrace-Ignored-Parameters', passedOver.map(encodeURIComponent).join(', '))
      return reply
    },
  }
}

/** The body of a reply by its status: an error from 400, a job for 202 beside other successes, else what the route declares. */
export const replySchema = (
  {
    reply,
    replies,
    replyType,
  }: Pick<RouteDefinition<string, z.ZodType, z.ZodType>, 'reply' | 'replies' | 'replyType'>,
  status: number,
): z.core.$ZodType | undefined => {
  if (status >= 400) return errorBody
  const successes = Object.keys(replies).filter(known => Number(known) < 400)
  if (status === 202) return successes.length > 1 ? jobBody : (reply ?? jobBody)
  return status === 204 || replyType !== undefined ? undefined : reply
}

/**
 * Python and JavaScript clients repeat the name of a list in a query: `whereValues=a&whereValues=b`. Of a field that is no
 * list the last text counts, as in PHP.
 */
const repeatedIn = (schema: z.ZodType) => (name: string, texts: readonly string[]) =>
  texts.length > 1 ? formValue(schema, name, texts) : texts.at(-1)

const hasOffset = (schema: z.ZodType): boolean => schema instanceof z.ZodObject && 'offset' in schema.shape

const offsetField = z.object({ offset: integer().default(0) })

/** Each list can be read from an item on, since each may be cut: where the list goes on, `cutList` says. */
const takeOffset = (asked: Record<string, unknown>): number => {
  const given = asked['offset']
  delete asked['offset']
  return given === undefined || given === ''
    ? 0
    : checkFields(offsetField, { offset: given }, 'storage.validation').offset
}

/** In a query an empty value means "not set": `?force=&limit=`. But `include=` asks for nothing, not for the default. */
const withoutBlank = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => value !== '' || name === 'include'))
