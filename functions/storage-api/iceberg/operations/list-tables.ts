import { z } from '@hono/zod-openapi'
import { ok } from '../../http/reply.ts'
import { defineOperation } from '../catalog-operation.ts'
import { findNamespace } from '../names/find-namespace.ts'
import { identifiersOf } from '../names/identifiers.ts'
import { listTableNames } from '../names/list-table-names.ts'
import { pageFields, pageOf } from '../page-of.ts'

/** The tables of a bucket. */
export const listCatalogTables = defineOperation({
  endpoint: 'GET /v1/{prefix}/namespaces/{namespace}/tables',
  query: z.object(pageFields),
  handle: async ({ caller, params: { namespace = '' }, query }, services) => {
    const bucket = await findNamespace(services, caller, namespace)
    const [all] = await listTableNames(services, bucket.id)
    const identifiers = identifiersOf(all)
    const named = all.map(({ id, name }, index) => ({ name, identifier: identifiers[index] ?? id }))
    const { items, nextPageToken } = pageOf(named, query)
    return ok({
      identifiers: items.map(({ identifier }) => ({ namespace: [namespace], name: identifier })),
      'next-page-token': nextPageToken,
    })
  },
})
