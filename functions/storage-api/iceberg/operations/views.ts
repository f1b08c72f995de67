import { z } from '@hono/zod-openapi'
import pMap from 'p-map'
import { UserError } from '#lib/errors/errors.ts'
import { parseMetadata } from '#lib/iceberg/metadata/parse-metadata.ts'
import { isAliased } from '#lib/storage/tables/aliases/resolve-alias.ts'
import { tableIdOf } from '#lib/storage/tables/table-store.ts'
import { noContent, ok } from '../../http/reply.ts'
import { mayReadTable } from '../../http/rights.ts'
import type { Services } from '../../services/services.ts'
import { type CatalogRequest, defineOperation } from '../catalog-operation.ts'
import { ambiguousName } from '../names/ambiguous-name.ts'
import { branchOf, findNamespace, namespacesOf } from '../names/find-namespace.ts'
import { type AliasHead, headsNamed, identifierOf } from '../names/heads-named.ts'
import { identifiersOf } from '../names/identifiers.ts'
import { listTableNames } from '../names/list-table-names.ts'
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

const READS_AT_ONCE = 16

/**
 * The aliases of a bucket that are views to a caller, each with the name under which it is listed. Whoever reads a view reads the files of
 * the table behind it: so it is one only for who may read that table (docs/decisions/0028-aliases-as-views.md).
 */
const listCatalogViews = async (
  { caller }: Pick<CatalogRequest, 'caller'>,
  { tables }: Pick<Services, 'tables'>,
  bucketId: string,
) => {
  const [others, aliases] = await listTableNames({ tables }, bucketId)
  const identifiers = identifiersOf([...others, ...aliases]).slice(others.length)
  const found = await pMap(
    aliases,
    async ({ id, name }, index) => {
      const alias = await tables.getHead(id)
      return alias && isAliased(alias) && mayReadTable(caller, tableIdOf(alias.alias.root))
        ? [{ name, identifier: identifiers[index] ?? id }]
        : []
    },
    { concurrency: READS_AT_ONCE },
  )
  return found.flat()
}

/**
 * The alias in the path, by alias, name or id. A table of that name goes first.
 *
 * Errors: 404 `iceberg.viewNotFound`, 403 `iceberg.viewOfFiles` for who may not read the table that holds the rows, those of
 * `findNamespace`, 400 `iceberg.ambiguousName`.
 */
const findCatalogView = async (
  { params, caller }: Pick<CatalogRequest, 'params' | 'caller'>,
  services: Pick<Services, 'buckets' | 'tables' | 'totals'>,
): Promise<AliasHead> => {
  const { namespace = '', view = '' } = params
  const bucket = await findNamespace(services, caller, namespace)
  const { tables, aliases } = await headsNamed(services, bucket.id, view)
  const found = tables.length > 0 ? [] : aliases
  if (found.length > 1) throw ambiguousName('view', view, found.map(tableIdOf))
  const [alias] = found
  if (!alias)
    throw new UserError(
      'iceberg.viewNotFound',
      `The bucket "${bucket.id}" has no view "${view.slice(0, 250)}".`,
    )
  const { root } = alias.alias
  if (mayReadTable(caller, tableIdOf(root))) return alias
  throw new UserError(
    'iceberg.viewOfFiles',
    `"${tableIdOf(alias)}" is an alias. Whoever reads it as a view reads the files of the table behind it, which is in a bucket that this token may ` +
      'not read: export it, or query it with POST /v2/storage/query.',
  )
}
