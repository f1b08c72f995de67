import { UserError } from '#lib/errors/errors.ts'
import { isAliased } from '#lib/storage/tables/aliases/resolve-alias.ts'
import type { TableHead } from '#lib/storage/tables/table-record.ts'
import { tableIdOf } from '#lib/storage/tables/table-store.ts'
import type { Services } from '../../services/services.ts'
import type { CatalogRequest } from '../catalog-operation.ts'
import { ambiguousName, findNamespace, LEVELS } from './find-namespace.ts'
import { itemsNamed } from './identifiers.ts'

/**
 * The table in the path, by alias, name or id.
 *
 * Errors: 404 `iceberg.tableNotFound`, also where there is no such namespace; otherwise those of `findNamespace`, and 400
 * `iceberg.ambiguousName`.
 */
export const findCatalogTable = async (
  { params, caller }: Pick<CatalogRequest, 'params' | 'caller'>,
  services: Services,
): Promise<TableHead> => {
  const { namespace = '', table = '' } = params
  const bucket = await findNamespace(services, caller, namespace).catch(error => {
    // So the specification wants it of `loadTable`. Spark looks for `snapshots` in the namespace of a table's name first.
    throw isNotFound(error) ? tableNotFound(table, namespace) : error
  })
  const { tables, aliases } = await headsNamed(services, bucket.id, table)
  if (tables.length > 1) throw ambiguousName('table', table, tables.map(tableIdOf))
  if (tables[0]) return tables[0]
  throw tableNotFound(table, bucket.id, aliases.length > 0)
}

const isNotFound = (error: unknown): boolean =>
  error instanceof UserError && error.code === 'iceberg.namespaceNotFound'

const tableNotFound = (table: string, bucket: string, isAlias = false): UserError => {
  const [name, place] = [table, bucket].map(text => text.slice(0, 250).replaceAll(LEVELS, '.'))
  return new UserError(
    'iceberg.tableNotFound',
    `The table "${name}" does not exist in the bucket "${place}".${isAlias ? ' It is an alias: export it, or query it with POST /v2/storage/query.' : ''}`,
  )
}

/** The tables of a bucket, and its aliases, that an identifier stands for. */
const headsNamed = async (
  { tables }: Services,
  bucketId: string,
  identifier: string,
): Promise<{ tables: TableHead[]; aliases: TableHead[] }> => {
  const byId = identifier.startsWith(`${bucketId}.`) ? await tables.getHead(identifier) : undefined
  const called = byId ? [byId] : await tables.called(bucketId, identifier)
  const named = called.map(head => ({ id: tableIdOf(head), name: head.name, head }))
  const heads = itemsNamed(named, identifier).map(({ head }) => head)
  return { tables: heads.filter(head => !isAliased(head)), aliases: heads.filter(isAliased) }
}
