import { type RouteConfig, z } from '@hono/zod-openapi'
import type { Services } from '../services.ts'
import type { Caller } from './authenticate.ts'
import { checkFields, withoutNull } from './check-fields.ts'
import { type Access, checkPath } from './check-path.ts'
import { describeRoute, replySchema } from './describe-route.ts'
import { parseFields } from './parse-fields.ts'
import { readBody } from './read-body.ts'

type ParamName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamName<Rest>
  : never

/** A request as a route's handler gets it: read, authenticated, in our shapes. */
export interface RouteRequest<Params, Query, Body> {
  params: Params
  query: Query
  body: Body
  caller: Caller
  /** `X-KBC-RunId`, stored with what the request creates. */
  runId: string | null
  /** Our addition: the same key gives the same job or file. */
  idempotencyKey: string | undefined
  /** `https://host`: the address of this service as the caller reached it. */
  baseUrl: string
  /** Branch that the path names; the default one when it names none. */
  branchId: number
  /** For routes that stream their body or read a header of their own. */
  raw: Request
}

export interface RouteDefinition<Path extends string, Query extends z.ZodType, Body extends z.ZodType> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** `/v2/storage/buckets/{bucketId}`; exists below every branch and with a trailing slash as well. */
  path: Path
  /** The last parameter takes slashes too: a gateway may have decoded them. */
  lastParamTakesSlashes?: boolean
  summary: string
  tag: string
  /** Answers without a token too. */
  isPublic?: boolean
  /** What the caller needs besides a valid token; see `Access`. */
  access?: Access
  query?: Query
  body?: Body
  /** `null` in the body is a value of its own, as in a merge patch; elsewhere it means "not set". */
  keepsNull?: boolean
  /** Code of the error when query or body do not fit; default `storage.validation`. */
  validationCode?: string
  /** Status -> what it means, for the OpenAPI document. */
  replies: Record<number, string>
  /** What a body holds that the route reads by itself, for the OpenAPI document. */
  streamedBody?: z.ZodType
  /** What the first reply holds, for the OpenAPI document. A 202 always holds a job. */
  reply?: z.ZodType
  /** Media type of the first reply when it is not JSON. */
  replyType?: string
  handle: (
    request: RouteRequest<Record<ParamName<Path>, string>, z.output<Query>, z.output<Body>>,
    services: Services,
  ) => Promise<Response>
}

/** A route whose types are settled: what the app mounts. */
export interface Route {
  isPublic: boolean
  method: string
  /** In the router's own notation, `/v2/storage/buckets/:bucketId`. */
  routerPath: string
  /** Matches the paths of the route, whatever the method. */
  pathPattern: RegExp
  openapi: RouteConfig
  /** What a reply of this status holds; `undefined` when it is not JSON. */
  replySchema: (status: number) => z.ZodType | undefined
  answer: (request: IncomingRequest, services: Services) => Promise<Response>
}

type IncomingRequest = Omit<RouteRequest<Record<string, string>, never, never>, 'query' | 'body'> & {
  searchParams: URLSearchParams
}

const nothing = z.object({})

/**
 * Defines one route. Its schemas read the request, type the handler and go to the OpenAPI document, so that the three
 * cannot disagree. Unknown fields are let through unread: clients send what other services know.
 */
export const defineRoute = <
  const Path extends string,
  Query extends z.ZodType = typeof nothing,
  Body extends z.ZodType = typeof nothing,
>(
  definition: RouteDefinition<Path, Query, Body>,
): Route => {
  const { method, path, isPublic = false, validationCode = 'storage.validation', handle } = definition
  // `nothing` is the default of both type parameters, so it is what they are when no schema is given.
  const querySchema = definition.query ?? (nothing as unknown as Query)
  const bodySchema = definition.body ?? (nothing as unknown as Body)
  const slashes = definition.lastParamTakesSlashes ? '{.+}' : ''

  return {
    isPublic,
    method,
    routerPath: `${path.replaceAll(/\{(\w+)\}/g, ':$1')}${slashes}`,
    pathPattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    openapi: describeRoute(definition),
    replySchema: status => replySchema(definition, status),
    answer: async ({ searchParams, ...request }, services) => {
      if (!isPublic) checkPath(request.caller, method, request.params, definition.access)
      const query = checkFields(querySchema, withoutBlank(parseFields(searchParams)), validationCode)
      const sent = definition.body ? await readBody(request.raw) : {}
      const fields = definition.keepsNull ? sent : withoutNull(sent)
      const body = checkFields(bodySchema, fields, validationCode)
      // The router has matched the path, so its parameters are there.
      const params = request.params as Record<ParamName<Path>, string>
      return handle({ ...request, params, query, body }, services)
    },
  }
}

/** In a query an empty value is no value: `?force=&limit=`. */
const withoutBlank = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
