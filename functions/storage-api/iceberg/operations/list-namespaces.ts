import { z } from '@hono/zod-openapi'
import { defaultBranchId } from '#lib/storage/branches/branch-store.ts'
import { mayUseBucket } from '#lib/storage/tokens/rights.ts'
import { text, unlessBlank } from '../../http/fields.ts'
import { ok } from '../../http/reply.ts'
import { defineOperation } from '../catalog-operation.ts'
import { findNamespace, namespacesOf } from '../names/find-namespace.ts'
import { identifiersOf } from '../names/identifiers.ts'
import { pageFields, pageOf } from '../page-of.ts'

/** The buckets that the caller may read, and those in which branches have made something their own. Namespaces have one level, so below a `parent` there are none. */
export const listCatalogNamespaces = defineOperation({
  endpoint: 'GET /v1/{prefix}/namespaces',
  query: z.object({ ...pageFields, parent: unlessBlank(text({ max: 1000 })) }),
  handle: async ({ caller, query: { parent, ...page } }, services) => {
    if (parent !== undefined) {
      await findNamespace(services, caller, parent)
      return ok({ namespaces: [], 'next-page-token': null })
    }
    const branches = (await services.branches.list()).filter(({ id }) => id !== defaultBranchId)
    const ofBranches = await Promise.all(
      branches.map(async ({ id }) => namespacesOf(await services.ownTables(id).buckets.list(), id)),
    )
    const all = [...namespacesOf(await services.totals.bucketNames()), ...ofBranches.flat()]
    const identifiers = identifiersOf(all)
    const readable = all
      .map(({ id, name, bucketId }, index) => ({ name, bucketId, identifier: identifiers[index] ?? id }))
      .filter(({ bucketId }) => mayUseBucket(caller, bucketId, 'read'))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    const { items, nextPageToken } = pageOf(readable, page)
    return ok({
      namespaces: items.map(({ identifier }) => [identifier]),
      'next-page-token': nextPageToken,
    })
  },
})
