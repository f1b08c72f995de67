import { z } from '@hono/zod-openapi'
import { mayUseBucket } from '#lib/storage/tokens/rights.ts'
import { text, unlessBlank } from '../../http/fields.ts'
import { ok } from '../../http/reply.ts'
import { defineOperation } from '../catalog-operation.ts'
import { findNamespace, listNamespaces } from '../names/find-namespace.ts'
import { identifiersOf } from '../names/identifiers.ts'
import { pageFields, pageOf } from '../page-of.ts'

/** The buckets that the caller may read. Namespaces have one level, so below a `parent` there are none. */
export const listCatalogNamespaces = defineOperation({
  endpoint: 'GET /v1/{prefix}/namespaces',
  query: z.object({ ...pageFields, parent: unlessBlank(text({ max: 1000 })) }),
  handle: async ({ caller, query: { parent, ...page } }, services) => {
    if (parent !== undefined) {
      await findNamespace(services, caller, parent)
      return ok({ namespaces: [], 'next-page-token': null })
    }
    const all = await listNamespaces(services)
    const identifiers = identifiersOf(all)
    const readable = all
      .map(({ id, name }, index) => ({ id, name, identifier: identifiers[index] ?? id }))
      .filter(({ id }) => mayUseBucket(caller, id, 'read'))
    const { items, nextPageToken } = pageOf(readable, page)
    return ok({
      namespaces: items.map(({ identifier }) => [identifier]),
      'next-page-token': nextPageToken,
    })
  },
})
