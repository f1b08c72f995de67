import type { RouteConfig } from '@asteasolutions/zod-to-openapi'
import { z } from '@hono/zod-openapi'
import { errorBody } from '../../lib/wire/error-body.ts'
import { jobBody } from '../../lib/wire/job-body.ts'
import { documented } from './documented.ts'
import type { RouteDefinition } from './route-definition.ts'

/** A route in the OpenAPI document, made from the schemas that read its requests. */
export const describeRoute = <Path extends string, Query extends z.ZodType, Body extends z.ZodType>({
  method,
  path,
  summary,
  tag,
  isPublic,
  query,
  body,
  streamedBody,
  ...definition
}: RouteDefinition<Path, Query, Body>): RouteConfig => {
  const contentOf = (status: string) => {
    if (status === '204') return undefined
    const isText = definition.replyType !== undefined && Number(status) < 400
    const schema = isText ? definition.reply : replySchema(definition, Number(status))
    return {
      [isText ? (definition.replyType ?? '') : 'application/json']: {
        schema: schema ? documented(schema) : z.unknown(),
      },
    }
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
      ...(streamedBody && { body: { content: { 'multipart/form-data': { schema: streamedBody } } } }),
      ...(body && {
        body: {
          content: {
            'application/json': { schema: body },
            ...(method === 'patch' && { 'application/merge-patch+json': { schema: body } }),
            'application/x-www-form-urlencoded': { schema: body },
            'multipart/form-data': { schema: body },
          },
        },
      }),
    },
    responses: Object.fromEntries(
      Object.entries({ ...failures, ...definition.replies }).map(([status, description]) => {
        const content = contentOf(status)
        return [status, { description, ...(content && { content }) }]
      }),
    ),
  }
}

/** The body of a reply by its status: a job for 202, an error from 400, else what the route declares. */
export const replySchema = (
  { reply, replyType }: Pick<RouteDefinition<string, z.ZodType, z.ZodType>, 'reply' | 'replyType'>,
  status: number,
): z.core.$ZodType | undefined => {
  if (status >= 400) return errorBody
  if (status === 202) return jobBody
  return status === 204 || replyType !== undefined ? undefined : reply
}

/** `get /v2/storage/buckets/{bucketId}` -> `getBucketsByBucketId`: the operation's name in generated clients. */
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
