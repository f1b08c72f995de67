import { type RouteConfig, z } from '@hono/zod-openapi'
import { errorBody } from '../resources/error-body.ts'
import { jobBody } from '../resources/job-body.ts'
import type { RouteDefinition } from './route.ts'

/** A route as the OpenAPI document shows it, from the very schemas that read its requests. */
export const describeRoute = <Path extends string, Query extends z.ZodType, Body extends z.ZodType>({
  method,
  path,
  summary,
  tag,
  isPublic,
  query,
  body,
  replies,
  reply = z.unknown(),
  replyType = 'application/json',
}: RouteDefinition<Path, Query, Body>): RouteConfig => {
  const [firstStatus] = Object.keys(replies)
  const contentOf = (status: string) => {
    if (status === '202') return { 'application/json': { schema: jobBody } }
    if (Number(status) >= 400) return { 'application/json': { schema: errorBody } }
    if (status === '204') return undefined
    return { [replyType]: { schema: status === firstStatus || status === '201' ? reply : z.unknown() } }
  }
  const failures = {
    400: 'The request is not valid',
    ...(!isPublic && { 401: 'No token, or an invalid one' }),
  }

  return {
    method,
    path,
    operationId: operationIdOf(method, path),
    summary,
    tags: [tag],
    security: isPublic ? [] : [{ storageToken: [] }],
    request: {
      params: z.object(
        Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, z.string()])),
      ),
      ...(query instanceof z.ZodObject && { query }),
      ...(body && {
        body: {
          content: {
            'application/json': { schema: body },
            'application/x-www-form-urlencoded': { schema: body },
            'multipart/form-data': { schema: body },
          },
        },
      }),
    },
    responses: Object.fromEntries(
      Object.entries({ ...failures, ...replies }).map(([status, description]) => {
        const content = contentOf(status)
        return [status, { description, ...(content && { content }) }]
      }),
    ),
  }
}

/** `get /v2/storage/buckets/{bucketId}` -> `getBucketsByBucketId`: what generated clients call the operation. */
const operationIdOf = (method: string, path: string): string =>
  method +
  path
    .replace('/v2/storage', '')
    .split('/')
    .filter(Boolean)
    .map(part => part.replace(/^\{(.*)\}$/, 'by-$1'))
    .flatMap(part => part.split('-'))
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
