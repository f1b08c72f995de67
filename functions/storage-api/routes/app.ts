import { Hono, type MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { UserError } from '../../lib/errors/errors.ts'
import { createTurns, type TakeTurn, threadClock } from '../../lib/turns.ts'
import { findBranchId } from '../find/find-branch.ts'
import { errorReply } from '../http/failure.ts'
import { ok } from '../http/reply.ts'
import { remoteAddress } from '../http/request-context.ts'
import { isOfFace, pathOf, readRequestPath } from '../http/request-path.ts'
import type { Route } from '../http/route.ts'
import { answerForRun } from '../http/run-log.ts'
import { CATALOG_PATH } from '../iceberg/match-endpoint.ts'
import type { Caller, Services } from '../services/services.ts'
import { insteadOf } from './not-offered.ts'
import { routes } from './routes.ts'

/** What answers requests; bodies stream in and out where a route lets them. */
export interface App {
  fetch(request: Request): Promise<Response>
}

const MAX_RUN_ID_LENGTH = 255
const MAX_IDEMPOTENCY_KEY_LENGTH = 255

/** In one process, where requests share a thread. In an account each container answers one at a time. */
const AT_ONCE_OF_ONE = 4

/** So of the thread a quarter is whose who asks without a pause, while others ask, too. */
const RESTS_FOR = 3

const OPERATOR = ''

/** The storage service over its routes. Never rejects: every failure is a reply. */
export const createApp = (services: Services): App => {
  const inTurn = {
    ...services,
    takeTurn: createTurns({
      most: Number.POSITIVE_INFINITY,
      mostOf: who => (who === OPERATOR ? Number.POSITIVE_INFINITY : AT_ONCE_OF_ONE),
      share: { restsFor: RESTS_FOR, clock: threadClock },
    }),
  }
  const hono = new Hono({ getPath: request => readRequestPath(pathOf(new URL(request.url))).path })
  hono.use(allowPages)
  hono.use(async ({ req }, next) => {
    const instead = insteadOf(req.path)
    return instead === undefined ? next() : errorReply(new UserError('notImplemented', instead), services.log)
  })
  for (const route of routes)
    hono.on(route.method, [route.routerPath], async context =>
      answerAndLog(route, context.req.raw, context.req.param(), inTurn),
    )
  hono.get('/v2/storage/openapi.json', async ({ req }) => {
    const { openApiDocument } = await import('./openapi.ts')
    return ok(openApiDocument({ origin: new URL(req.url).origin, version: await services.revision() }))
  })
  hono.notFound(({ req }) =>
    answerNoRoute(req.method, req.path, new URL(req.url).pathname.endsWith('/'), services),
  )
  hono.onError(error => errorReply(error, services.log))

  return {
    fetch: async request => {
      // The catalog has its own paths, methods (HEAD too) and form of errors.
      const isForCatalog = new URL(request.url).pathname.startsWith(`${CATALOG_PATH}/`)
      if (!isForCatalog) {
        const reply = await hono.fetch(request)
        return reply.status >= 400 && isOfFace(pathOf(new URL(request.url))) ? withNumber(reply) : reply
      }
      const { answerCatalog } = await import('../iceberg/catalog.ts')
      return answerCatalog(request, services)
    },
  }
}

/** Clients of the faces read a code that is a number. */
const withNumber = async (reply: Response): Promise<Response> => {
  const body = JSON.stringify({ ...((await reply.json()) as object), code: reply.status })
  return new Response(body, reply)
}

/** Of the project: the same below every branch. */
const projectTags: ReadonlySet<string> = new Set(['index', 'tokens', 'triggers', 'tickets'])

const answerAndLog = async (
  route: Route,
  raw: Request,
  params: Record<string, string>,
  services: Services & InTurn,
): Promise<Response> => {
  const runId = boundedHeader(raw.headers, 'X-KBC-RunId', MAX_RUN_ID_LENGTH) ?? null
  const request = { raw, params, runId }
  if (runId === null) return answer(route, request, services)
  const asked = { runId, method: raw.method, route: route.routerPath }
  return answerForRun(services.log, asked, log =>
    answer(route, request, { ...services, log }).catch(error => errorReply(error, log)),
  )
}

const answer = async (
  route: Route,
  { raw, params, runId }: { raw: Request; params: Record<string, string>; runId: string | null },
  { takeTurn, ...services }: Services & InTurn,
): Promise<Response> => {
  const url = new URL(raw.url)
  const { branch } = readRequestPath(url.pathname)
  const caller = route.isPublic ? anybody : await services.authenticate(raw.headers)
  const branchId = await findBranchId(services, branch)
  const seen = projectTags.has(route.tag) ? {} : services.inBranch(branchId)
  const request = {
    params,
    caller,
    raw,
    runId,
    idempotencyKey: boundedHeader(raw.headers, 'Idempotency-Key', MAX_IDEMPOTENCY_KEY_LENGTH),
    baseUrl: url.origin,
    branchId,
    searchParams: url.searchParams,
  }
  const work = () => route.answer(request, { ...services, ...seen })
  // What many requests of one ask for takes no more of the others' time than what few do.
  const who = route.isPublic ? `from ${remoteAddress(raw.headers)}` : caller.tokenId
  return takeTurn(caller.isMaster ? OPERATOR : who, work)
}

interface InTurn {
  takeTurn: TakeTurn
}

/** Public routes never look at their caller. */
const anybody: Caller = {
  tokenId: '',
  description: '',
  isMaster: false,
  masterId: '',
  canManageBuckets: false,
  canReadAllFileUploads: false,
  canPurgeTrash: false,
  bucketPermissions: {},
  componentAccess: [],
  token: undefined,
}

const boundedHeader = (headers: Headers, name: string, maxLength: number): string | undefined => {
  const value = headers.get(name)?.trim() || undefined
  if (value !== undefined && value.length > maxLength)
    throw new UserError('storage.validation', `The header ${name} is longer than ${maxLength} characters.`)
  return value
}

const answerNoRoute = (method: string, path: string, endsInSlash: boolean, { log }: Services): Response => {
  const takesId = ({ method: of, pathPattern }: Route) =>
    of.toUpperCase() === method && pathPattern.test(`${path}/id`)
  // `PUT …/configs/`: a client put a text without characters where an id belongs.
  if (endsInSlash && routes.some(takesId)) {
    const message = 'The path ends where an id is expected: resource not found.'
    return errorReply(new UserError('storage.validation', message), log)
  }
  const allowed = routes
    .filter(({ pathPattern }) => pathPattern.test(path))
    .map(route => route.method.toUpperCase())
  if (allowed.length === 0)
    return errorReply(new UserError('notFound', 'The requested resource does not exist.'), log)
  const message = `The method ${method} is not allowed here. Allowed: ${allowed.join(', ')}.`
  const reply = errorReply(new UserError('methodNotAllowed', message, { params: { allowed } }), log)
  // RFC 9110, 15.5.6: the reply names the methods in this header.
  reply.headers.set('allow', allowed.join(', '))
  return reply
}

/**
 * Pages of any origin may call the API: they have no more rights than the token that they send, which no browser adds by
 * itself.
 */
const anyOrigin = cors({
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  exposeHeaders: ['ETag', 'Retry-After'],
  maxAge: 600,
})

/** Leaves alone an OPTIONS request that no browser sends before another one. */
const allowPages: MiddlewareHandler = (context, next) =>
  context.req.method === 'OPTIONS' && context.req.header('access-control-request-method') === undefined
    ? next()
    : anyOrigin(context, next)
