import { z } from 'zod'
import { UserError } from '#lib/errors/errors.ts'
import { defaultBranchId } from '#lib/storage/db/branch-id.ts'
import { mayUseBucket } from '#lib/storage/tokens/rights.ts'
import { text, unlessBlank } from '../../http/fields.ts'
import { noContent, ok } from '../../http/reply.ts'
import { type CatalogOperation, defineOperation } from '../catalog-operation.ts'
import { findNamespace, identifiersOf, namespacesOf } from '../names/names.ts'
import { pageFields, pageOf } from '../page-of.ts'

/** Engines that must name a warehouse name this one, or the project by its id. */
const WAREHOUSE = 'millrace'

/** How a client finds out what is here: there is no prefix, and `endpoints` lists what is served. */
export const getConfig = (endpoints: () => readonly string[]): CatalogOperation =>
  defineOperation({
    endpoint: 'GET /v1/config',
    query: z.object({ warehouse: unlessBlank(text({ max: 200 })) }),
    handle: async ({ query: { warehouse } }, { projectId }) => {
      if (warehouse !== undefined && warehouse !== WAREHOUSE && warehouse !== String(projectId))
        throw new UserError(
          'iceberg.warehouseNotFound',
          `There is no warehouse "${warehouse}". The one of this project is called "${WAREHOUSE}".`,
        )
      return ok({ defaults: {}, overrides: {}, endpoints: endpoints() })
    },
  })

const endpoint = '/v1/{prefix}/namespaces/{namespace}'

/** A bucket as a namespace. Its properties say which bucket it is. */
export const getNamespace = defineOperation({
  endpoint: `GET ${endpoint}`,
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
  handle: async ({ caller, params: { namespace = '' } }, services) => {
    await findNamespace(services, caller, namespace)
    return noContent()
  },
})

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
    const all = [...namespacesOf(await services.buckets.names()), ...ofBranches.flat()]
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
