import { z } from '@hono/zod-openapi'
import { noContent, ok } from '../../http/reply.ts'
import { defineOperation } from '../catalog-operation.ts'
import { findNamespace } from '../names/find-namespace.ts'

const endpoint = '/v1/{prefix}/namespaces/{namespace}'

/** A bucket as a namespace. Its properties say which bucket it is. */
export const getNamespace = defineOperation({
  endpoint: `GET ${endpoint}`,
  query: z.object({}),
  handle: async ({ caller, params: { namespace = '' } }, services) => {
    const bucket = await findNamespace(services, caller, namespace)
    return ok({
      namespace: [namespace],
      properties: {
        'bucket-id': bucket.id,
        'display-name': bucket.displayName,
        comment: bucket.description,
        created: bucket.created,
      },
    })
  },
})

export const namespaceExists = defineOperation({
  endpoint: `HEAD ${endpoint}`,
  query: z.object({}),
  handle: async ({ caller, params: { namespace = '' } }, services) => {
    await findNamespace(services, caller, namespace)
    return noContent()
  },
})
