import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { together } from '../../lib/items/item-table.ts'
import { markedBranch } from '../../lib/storage/branches/marked-bucket.ts'
import { type BucketRecord, requireBucket } from '../../lib/storage/buckets/bucket-store.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { OVERTAKEN, untilWritten } from '../../lib/storage/db/until-written.ts'
import type { AuditEventName } from '../../lib/storage/events/audit-event.ts'
import type { AliasFilter, AliasRecord } from '../../lib/storage/tables/aliases/alias-record.ts'
import { refuseAdvancedAlias, refuseDependents } from '../../lib/storage/tables/aliases/alias-rules.ts'
import { tableAlreadyExists, tableBusy, tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { tableIdOf } from '../../lib/storage/tables/table-store.ts'
import { checkTableName, refuseTakenName } from '../../lib/storage/tables/update-table.ts'
import { columnNames } from '../../lib/table-engine/files/snapshot.ts'
import { refuseUnknownColumns } from '../../lib/table-engine/rows/row-conditions.ts'
import { tableBody } from '../../lib/wire/table-body.ts'
import { findAlias, findBucket, findTable } from '../find/find-table.ts'
import { text, textList, unlessBlank } from '../http/fields.ts'
import { tellingAudit } from '../http/record-event.ts'
import { requireTable } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'
import type { Sender } from '../http/route-definition.ts'
import type { Services } from '../services/services.ts'
import { tableDetail } from '../tables/read-tables.ts'
import { oneAsList } from '../tables/row-query.ts'

export const routes = routesOf('aliases')

const operator = z.enum(['eq', 'ne'], { error: 'This value should be eq or ne.' })

/** The filter of an alias: rows whose column has one of these values (`eq`), or none of them (`ne`). Default: `eq`. */
const aliasFilterFields = {
  column: unlessBlank(text({ max: 255 })),
  operator: unlessBlank(operator),
  values: z.preprocess(oneAsList, textList({ max: 1_000, itemMax: 10_000 }).optional()),
}

interface Step {
  event: AuditEventName
  /** The alias as it is to be; itself to change nothing. */
  change: (current: AliasRecord, columns: string[]) => AliasRecord | Promise<AliasRecord>
  /** What the event says of the changed alias. */
  params?: (changed: AliasRecord) => object
}

/**
 * Changes the alias of a path, again when another request was faster, and says so in an event when it has changed.
 *
 * Errors: 404 `storage.tables.notFound`, 503 `storage.tables.busy`.
 */
const changeOne = async (
  request: Sender & { params: { tableId: string } },
  services: Services,
  { event, change, params = () => ({}) }: Step,
): Promise<void> => {
  const { tables } = services
  const { tableId: id } = request.params
  const { alias, name } = await findAlias(services, request)
  await untilWritten(
    () => tableBusy(id),
    async () => {
      const current = await tables.getAlias(id)
      if (current?.internalId !== alias.record.internalId) throw tableNotFound(id, services.projectId)
      const changed = await change(current, columnNames(alias.source.snapshot))
      if (changed === current) return
      const told = tellingAudit(request, services, event, { id, name, params: params(changed) })
      const decision = await together(tables.replacingAlias(changed), told)
      return (await tables.decide(decision)) ? undefined : OVERTAKEN
    },
  )
}

const filterPath = '/v2/storage/tables/{tableId}/alias-filter'

/** Sets which rows of its source an alias shows. What the request leaves out stays. */
routes.post(filterPath, {
  summary: 'Set the filter of an alias',
  body: z.object(aliasFilterFields),
  validationCode: 'storage.tables.validation',
  replies: { 200: 'The alias', 400: 'It is no alias, or has aliases itself', 404: 'There is no such table' },
  reply: tableBody,
  handle: async (request, services) => {
    await changeOne(request, services, {
      event: 'tableAliasFilterSet',
      change: async (current, columns) => {
        const filter = completeFilter(request.body, current.filter)
        if (!filter || JSON.stringify(filter) === JSON.stringify(current.filter)) return current
        refuseUnknownColumns(columns, [filter.column])
        await refuseDependents(current, 'alias filter', services.aliases)
        return { ...current, filter }
      },
      params: ({ filter }) => ({ aliasFilter: filter }),
    })
    return tableDetail(services, await findTable(services, request.params.tableId), request)
  },
})

/** Shows all rows of the source again. Idempotent. */
routes.delete(filterPath, {
  summary: 'Remove the filter of an alias',
  replies: { 204: 'Removed', 400: 'It is no alias', 404: 'There is no such table' },
  handle: (request, services) =>
    changeOne(request, services, {
      event: 'tableAliasFilterRemoved',
      change: current => {
        const { filter, ...others } = current
        return filter ? others : current
      },
    }),
})

const autoSync = '/v2/storage/tables/{tableId}/alias-columns-auto-sync'
const replies = { 204: 'Done', 400: 'It is no alias, or has aliases itself', 404: 'There is no such table' }

/** From now on the alias has the columns of its source, at any time. Idempotent. */
routes.post(autoSync, {
  summary: 'Let the columns of an alias follow its source',
  replies,
  handle: (request, services) =>
    changeOne(request, services, {
      event: 'tableAliasColumnsAutoSyncEnabled',
      change: current => {
        const { columns, ...others } = current
        return columns ? others : current
      },
    }),
})

/** The alias keeps the columns that it has now, and they can be chosen one by one. Idempotent. */
routes.delete(autoSync, {
  summary: 'Keep the columns of an alias as they are',
  replies,
  handle: (request, services) =>
    changeOne(request, services, {
      event: 'tableAliasColumnsAutoSyncDisabled',
      change: async (current, columns) => {
        if (current.columns) return current
        await refuseDependents(current, 'auto sync settings', services.aliases)
        return { ...current, columns }
      },
      params: ({ columns }) => ({ columns }),
    }),
})

interface GivenFilter {
  column?: string | undefined
  operator?: AliasFilter['operator'] | undefined
  values?: string[] | undefined
}

/**
 * The filter that a request asks for: what it leaves out stays as it is. `undefined`: neither has any.
 *
 * Error: 400 `storage.tables.validation` when column or values are still missing. `place`: of the fields in the request.
 */
const completeFilter = (
  given: GivenFilter,
  current: AliasFilter | undefined,
  place?: string,
): AliasFilter | undefined => {
  const { column = current?.column, operator = current?.operator ?? 'eq', values = current?.values } = given
  if (column !== undefined && values !== undefined) return { column, operator, values }
  if (column === undefined && values === undefined && given.operator === undefined) return current
  const missing = column === undefined ? 'column' : 'values'
  const field = place === undefined ? missing : `${place}[${missing}]`
  throw new UserError('storage.tables.validation', `Invalid request:\n - ${field}: "This field is missing."`)
}

const body = z.object({
  sourceTable: text({ min: 1, max: 500 }),
  name: text({ max: 300 }).optional(),
  displayName: text({ max: 300 }).optional(),
  aliasFilter: z.object(aliasFilterFields).optional(),
  aliasColumns: textList({ itemMax: 255 }).optional(),
})

/** Creates an alias: a table of another name that shows rows of its source, all or those of a filter. */
routes.post('/v2/storage/buckets/{bucketId}/table-aliases', {
  summary: 'Create an alias of a table',
  body,
  validationCode: 'storage.tables.validation',
  replies: {
    201: 'The alias',
    400: 'The request is wrong, or the source is an alias with a filter or with columns of its own',
    404: 'There is no such bucket or source',
  },
  reply: tableBody,
  handle: async (request, services) => {
    const { body } = request
    const { bucketId } = request.params
    requireTable(request.caller, body.sourceTable, 'read')
    const bucket = await findBucket(services, bucketId)
    const source = await findTable(services, body.sourceTable)
    await refuseBranchBuckets(services, { branchId: request.branchId, bucket, source })
    refuseAdvancedAlias(source)
    const names = checkTableName({ ...body, name: body.name || source.name })
    const alias: AliasRecord = {
      kind: 'alias',
      internalId: services.nextId(),
      bucketId,
      ...names,
      created: services.now().toISOString(),
      sourceTableId: tableIdOf(source),
      sourceInternalId: source.internalId,
      ...chosenPart(body, source),
      revision: 1,
    }
    return tableDetail(services, await insertAlias(alias, request, services), request)
  },
})

/**
 * Stores a new alias, in one transaction with that its bucket and its source are there. Resolves to it as readers see it.
 *
 * Errors: `storage.buckets.tableAlreadyExists`, `storage.tables.notFound`, `storage.buckets.notFound`,
 * `storage.tables.aliasingNotAllowed`, 503 `storage.tables.busy`.
 */
const insertAlias = (alias: AliasRecord, request: Sender, services: Services): Promise<TableHead> => {
  const { buckets, tables, aliases, projectId } = services
  const { bucketId, name, displayName, sourceTableId, filter, columns } = alias
  const id = tableIdOf(alias)
  return untilWritten(
    () => tableBusy(id),
    async () => {
      const source = await tables.getHead(sourceTableId)
      if (source?.internalId !== alias.sourceInternalId) throw tableNotFound(sourceTableId, projectId)
      refuseAdvancedAlias(source)
      await requireBucket(bucketId, services)
      if (await tables.getHead(id)) throw tableAlreadyExists(name, displayName)
      await refuseTakenName(alias, tables)
      const parents = [await tables.touching(source), await buckets.touching(bucketId)]
      const told = tellingAudit(request, services, 'tableAliasCreated', {
        id,
        name,
        words: { source: sourceTableId },
        params: { sourceTable: sourceTableId, aliasFilter: filter ?? null, aliasColumns: columns ?? null },
      })
      if (!(await tables.decide(await together(aliases.inserting(alias), parents, told)))) return OVERTAKEN
      return (await tables.getHead(id)) ?? OVERTAKEN
    },
  )
}

/** The rows and columns that the request asks for. Throws 400 `storage.tables.validation.columnNotExists`. */
const chosenPart = (
  { aliasFilter, aliasColumns = [] }: z.output<typeof body>,
  source: TableHead,
): Pick<AliasRecord, 'filter' | 'columns'> => {
  const columns = [...new Set(aliasColumns)]
  const filter = aliasFilter && completeFilter(aliasFilter, undefined, 'aliasFilter')
  refuseUnknownColumns(columnNames(source.snapshot), [...columns, ...(filter ? [filter.column] : [])])
  return { ...(filter && { filter }), ...(columns.length > 0 && { columns }) }
}

interface NewAliasPlace {
  branchId: number
  bucket: BucketRecord
  source: TableHead
}

/** Throws 400 `storage.tables.aliasingNotAllowed`: aliases belong to the default branch, as do their sources. */
const refuseBranchBuckets = async (
  services: Services,
  { branchId, bucket, source }: NewAliasPlace,
): Promise<void> => {
  const sourceBucket = await findBucket(services, source.bucketId)
  if (branchId !== defaultBranchId || (await markedBranch(bucket, services)) !== undefined)
    throw refused('Creating aliases in Dev/Branch buckets is not supported yet.')
  if ((await markedBranch(sourceBucket, services)) !== undefined)
    throw refused('Creating aliases from Dev/Branch tables is not supported yet.')
}

const refused = (message: string): UserError => new UserError('storage.tables.aliasingNotAllowed', message)
