import { z } from '@hono/zod-openapi'
import { parseMetadata } from '#lib/iceberg/metadata/parse-metadata.ts'
import { noContent, ok } from '../../http/reply.ts'
import { defineOperation } from '../catalog-operation.ts'
import { findCatalogView, listCatalogViews } from '../names/find-catalog-view.ts'
import { branchOf, findNamespace, namespacesOf } from '../names/find-namespace.ts'
import { identifierOf } from '../names/heads-named.ts'
import { identifiersOf } from '../names/identifiers.ts'
import { pageFields, pageOf } from '../page-of.ts'
import { viewMetadata } from '../views/view-metadata.ts'
import { currentMetadata } from './current-metadata.ts'

const endpoint = '/v1/{prefix}/namespaces/{namespace}/views'

/** The aliases of a bucket. */
export const listViews = defineOperation({
  endpoint: `GET ${endpoint}`,
  query: z.object(pageFields),
  handle: async ({ caller, params: { namespace = '' }, query }, services) => {
    const bucket = await findNamespace(services, caller, namespace)
    const { items, nextPageToken } = pageOf(await listCatalogViews({ caller }, services, bucket.id), query)
    return ok({
      identifiers: items.map(({ identifier }) => ({ namespace: [namespace], name: identifier })),
      'next-page-token': nextPageToken,
    })
  },
})

/** An alias as a view on the table that holds its rows. */
export const loadView = defineOperation({
  endpoint: `GET ${endpoint}/{view}`,
  query: z.object({}),
  handle: async (request, services) => {
    const alias = await findCatalogView(request, services)
    const { root } = alias.alias
    const { text } = await currentMetadata(root, services.tableAccess)
    const namespaces = namespacesOf(
      await services.totals.bucketNames(),
      branchOf(request.params['namespace']),
    )
    const location = request.raw.url
    const metadata = viewMetadata({
      alias,
      metadata: parseMetadata(text),
      namespace:
        identifiersOf(namespaces)[namespaces.findIndex(({ bucketId }) => bucketId === root.bucketId)] ?? '',
      table: await identifierOf(root, services),
      location,
    })
    return ok({ 'metadata-location': location, metadata, config: {} })
  },
})

export const viewExists = defineOperation({
  endpoint: `HEAD ${endpoint}/{view}`,
  query: z.object({}),
  handle: async (request, services) => {
    await findCatalogView(request, services)
    return noContent()
  },
})
