import { z } from '@hono/zod-openapi'
import { UserError } from '#lib/errors/errors.ts'
import { defineOperation } from '../catalog-operation.ts'
import { findNamespace } from '../names/find-namespace.ts'

/** Engines ask whether a name is a view before they read it as a table. None is. */
export const viewExists = defineOperation({
  endpoint: 'HEAD /v1/{prefix}/namespaces/{namespace}/views/{view}',
  query: z.object({}),
  handle: async ({ caller, params: { namespace = '', view = '' } }, services) => {
    const { id } = await findNamespace(services, caller, namespace)
    throw new UserError('iceberg.viewNotFound', `The bucket "${id}" has no view "${view.slice(0, 250)}".`)
  },
})
