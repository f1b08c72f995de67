import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'

/**
 * Pages of any origin may call the API: they have no more rights than the token that they send, which no browser adds by
 * itself.
 */
const anyOrigin = cors({
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  exposeHeaders: ['ETag', 'Retry-After'],
  maxAge: 600,
})

/** Leaves alone an OPTIONS request that no browser sends before another one. */
export const allowPages: MiddlewareHandler = (context, next) =>
  context.req.method === 'OPTIONS' && context.req.header('access-control-request-method') === undefined
    ? next()
    : anyOrigin(context, next)
