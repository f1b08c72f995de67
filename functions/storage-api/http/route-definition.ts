import type { z } from 'zod'
import type { UserCode } from '../../lib/errors/codes.ts'
import type { Caller, Services } from '../services/services.ts'
import type { Access } from './rights.ts'

/** The parameters in a path. */
export type ParamName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamName<Rest>
  : never

/** Who sent a request, and where to. */
export interface Sender {
  caller: Caller
  /** `X-KBC-RunId`, stored with what the request creates. */
  runId: string | null
  /** The branch in the path, or the default branch. */
  branchId: number
  /** For routes that stream their body or read a header. */
  raw: Request
}

/** A request as a route's handler gets it: read, authenticated and validated. */
export interface RouteRequest<Params, Query, Body> extends Sender {
  params: Params
  query: Query
  body: Body
  /** Our addition: the same key gives the same job or file. */
  idempotencyKey: string | undefined
  /** The request as it was sent, before times such as `-2 days` are resolved: what a repeated request has in common. */
  sent: unknown
  /** `https://host`: the address at which the caller reached this service. */
  baseUrl: string
  /** Names of parameters that nobody reads. A route that reads a form by itself adds its own. */
  passedOver: string[]
}

export interface RouteDefinition<Path extends string, Query extends z.ZodType, Body extends z.ZodType> {
  /** The last parameter may contain slashes: a gateway may have decoded them. */
  lastParamTakesSlashes?: boolean
  summary: string
  /** Needs no token. */
  isPublic?: boolean
  /** What the caller needs besides a valid token; see `Access`. */
  access?: Access
  query?: Query
  body?: Body
  /** `null` in the body is a value. Elsewhere it means "not set". */
  keepsNull?: boolean
  /**
   * A parameter that nobody reads is refused, as it might be a condition on what is deleted. Elsewhere it is passed over,
   * as clients of the hosted service expect; the reply, the job and an event say so.
   */
  refusesOthers?: boolean
  /** Code of the error when query or body do not fit; default `storage.validation`. */
  validationCode?: UserCode
  /** Status -> what it means, for the OpenAPI document. */
  replies: Record<number, string>
  /** For the OpenAPI document: the body, if the route reads it itself. */
  streamedBody?: z.ZodType
  /** For the OpenAPI document: the body of the first reply. Beside it a 202 holds a job. */
  reply?: z.core.$ZodType
  /** Media type of the first reply when it is not JSON. */
  replyType?: string
  /** Resolves to what is answered with the first status of success among the replies, or to the whole reply. */
  handle: (
    request: RouteRequest<Record<ParamName<Path>, string>, z.output<Query>, z.output<Body>>,
    services: Services,
  ) => Promise<unknown>
}
