import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { markedBranch } from '../../lib/storage/branches/marked-bucket.ts'
import type { BucketRecord } from '../../lib/storage/buckets/bucket-store.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import type { AliasRecord } from '../../lib/storage/tables/aliases/alias-record.ts'
import { refuseAdvancedAlias } from '../../lib/storage/tables/aliases/alias-rules.ts'
import { createAlias as insertAlias } from '../../lib/storage/tables/aliases/change-alias.ts'
import { tableAlreadyExists } from '../../lib/storage/tables/table-errors.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { tableIdOf } from '../../lib/storage/tables/table-store.ts'
import { refuseTakenName } from '../../lib/storage/tables/update-table.ts'
import { columnNames } from '../../lib/table-engine/files/snapshot.ts'
import { refuseUnknownColumns } from '../../lib/table-engine/rows/row-conditions.ts'
import { tableBody } from '../../lib/wire/table-body.ts'
import { findBucket } from '../find/find-bucket.ts'
import { findTable } from '../find/find-table.ts'
import { text, textList } from '../http/fields.ts'
import { recordAudit } from '../http/record-event.ts'
import { requireTable } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'
import type { Services } from '../services/services.ts'
import { tableDetail } from '../tables/read-tables.ts'
import { checkTableName } from '../tables/table-name.ts'
import { aliasFilterFields, completeFilter } from './change-alias.ts'

export const routes = routesOf('aliases')

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
    const { body, baseUrl } = request
    const { bucketId } = request.params
    requireTable(request.caller, body.sourceTable, 'read')
    const bucket = await findBucket(services, bucketId)
    const source = await findTable(services, body.sourceTable)
    await refuseBranchBuckets(services, { branchId: request.branchId, bucket, source })
    refuseAdvancedAlias(source)
    const names = checkTableName({ ...body, name: body.name || source.name })
    if (await services.tables.getHead(`${bucketId}.${names.name}`))
      throw tableAlreadyExists(names.name, names.displayName)
    await refuseTakenName({ bucketId, ...names }, services.tables)

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
    const table = await insertAlias(alias, services)
    const { sourceTableId, filter, columns } = alias
    await recordAudit(request, services, 'tableAliasCreated', {
      id: tableIdOf(alias),
      name: alias.name,
      words: { source: sourceTableId },
      params: { sourceTable: sourceTableId, aliasFilter: filter ?? null, aliasColumns: columns ?? null },
    })
    return tableDetail(services, table, baseUrl)
  },
})

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
