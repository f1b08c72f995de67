import { UserError } from '#lib/errors/errors.ts'
import type { BucketRecord } from '#lib/storage/buckets/bucket-store.ts'
import { isAliased } from '#lib/storage/tables/aliases/resolve-alias.ts'
import { aliasOf } from '#lib/storage/tables/other-names.ts'
import type { TableHead } from '#lib/storage/tables/table-record.ts'
import { tableIdOf } from '#lib/storage/tables/table-store.ts'
import { mayUseBucket } from '#lib/storage/tokens/rights.ts'
import { accessDenied } from '../../http/rights.ts'
import type { Caller, Services } from '../../services/services.ts'
import type { CatalogRequest } from '../catalog-operation.ts'

/** A bucket or a table. `id` is `in.c-main` or `in.c-main.orders`; the name of a bucket is its id. */
interface Named {
  readonly id: string
  readonly name: string
}

/**
 * The items that an identifier stands for: the one with this id, else all with this name or alias. More than one means
 * that nobody can say which is meant.
 */
export const itemsNamed = <Item extends Named>(items: readonly Item[], identifier: string): Item[] => {
  const exact = items.filter(({ id }) => id === identifier)
  if (exact.length > 0) return exact
  return items.filter(({ name }) => name === identifier || aliasOf(name) === identifier)
}

/**
 * The identifier under which each item is listed, in the order of the items: its alias, or its id where another item
 * would answer to the alias too. Each stands for exactly one item.
 */
export const identifiersOf = (items: readonly Named[]): string[] => {
  const answering = new Map<string, number>()
  for (const { name } of items)
    for (const word of new Set([name, aliasOf(name)])) answering.set(word, (answering.get(word) ?? 0) + 1)
  return items.map(({ id, name }) => (answering.get(aliasOf(name)) === 1 ? aliasOf(name) : id))
}

/** Before the bucket, in the namespace of a development branch: `branch_12_in_c_main`, `branch-12.in.c-main`. */
const BRANCH = /^branch[-_](\d{1,15})[._]/

/** The development branch of a namespace. */
export const branchOf = (namespace = ''): number | undefined => {
  const id = BRANCH.exec(namespace)?.[1]
  return id === undefined ? undefined : Number(id)
}

/** The services with the buckets and tables that the branch of a namespace sees. Error: 404 `iceberg.namespaceNotFound`. */
export const inBranchOf = async (services: Services, namespace = ''): Promise<Services> => {
  const branchId = branchOf(namespace)
  if (branchId === undefined) return services
  if (!(await services.branches.get(branchId))) throw namespaceNotFound(namespace)
  return { ...services, ...services.inBranch(branchId) }
}

/** Buckets, of a branch if one is given, as namespaces. */
export const namespacesOf = (buckets: readonly { id: string }[], branchId?: number | undefined) =>
  buckets.map(({ id: bucketId }) => {
    const id = branchId === undefined ? bucketId : `branch-${branchId}.${bucketId}`
    return { id, name: id, bucketId }
  })

/**
 * The bucket that a namespace stands for, by alias or by id.
 *
 * Errors: 403 `accessDenied` when the caller may not read it. A caller who may not read all buckets gets it for a namespace
 * that does not exist too, so that nobody can probe for names. 404 `iceberg.namespaceNotFound`, for one of several levels
 * whoever asks: there is none. 400 `iceberg.ambiguousName`.
 */
export const findNamespace = async (
  services: Services,
  caller: Caller,
  namespace: string,
): Promise<BucketRecord> => {
  if (namespace.includes(LEVELS)) throw namespaceNotFound(namespace)
  const all = namespacesOf(await services.buckets.names(), branchOf(namespace))
  const found = itemsNamed(all, namespace)
  const readable = found.filter(({ bucketId }) => mayUseBucket(caller, bucketId, 'read'))
  const bucket = found.length === 1 && readable[0] && (await services.buckets.get(readable[0].bucketId))
  if (bucket) return bucket
  if (found.length > 1 && readable.length > 0)
    throw ambiguousName(
      'namespace',
      namespace,
      readable.map(({ id }) => id),
    )
  if (!caller.canManageBuckets) throw accessDenied()
  throw namespaceNotFound(namespace)
}

/** What separates levels (unit separator). No bucket has it. */
const LEVELS = '\u001f'

const namespaceNotFound = (namespace: string): UserError =>
  new UserError(
    'iceberg.namespaceNotFound',
    `The namespace ${JSON.stringify(namespace.slice(0, 250).replaceAll(LEVELS, '.'))} does not exist.`,
  )

/** 400 `iceberg.ambiguousName`. `found`: the ids of those that the caller may read. */
const ambiguousName = (kind: 'namespace' | 'table', name: string, found: readonly string[]): UserError => {
  const ids = found.map(id => `"${id}"`).join(', ')
  const others = found.length > 1 ? ids : `${ids} and others that this token may not read`
  return new UserError(
    'iceberg.ambiguousName',
    `More than one ${kind} answers to the name "${name}": ${others}. Use the id in quotes, as the list of ${kind}s shows it.`,
  )
}

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
