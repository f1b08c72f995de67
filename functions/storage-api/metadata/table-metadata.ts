import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { tableIdOf } from '../../lib/storage/tables/table-store.ts'
import { SERVICE_PROVIDER, typeMetadata } from '../../lib/storage/tables/type-metadata.ts'
import { columnNames, isTypedTable } from '../../lib/table-engine/files/snapshot.ts'
import { emptyList } from '../../lib/wire/fields.ts'
import { metadatumBody } from '../../lib/wire/metadatum-body.ts'
import { findTable, findTableToChange } from '../find/find-table.ts'
import { recordAudit } from '../http/record-event.ts'
import { type Route, routesOf } from '../http/route.ts'
import type { Services } from '../services/services.ts'
import { branchMetadata, bucketMetadata, configurationMetadata } from './configuration-metadata.ts'
import { type MetadataOwner, metadataParams, metadataRoutesOf } from './metadata-owner.ts'
import { allTableMetadata, metadatumResource, tableMetadata } from './metadata-resource.ts'
import {
  columnsMetadataField,
  metadataFields,
  readColumnsMetadata,
  readMetadata,
  readProvider,
} from './read-metadata.ts'
import { storeMetadata } from './store-metadata.ts'

const routes = routesOf('metadata')

const tableMetadataOwner: MetadataOwner<{ tableId: string }, TableHead> = {
  path: '/v2/storage/tables/{tableId}/metadata',
  kind: 'table',
  hasProvider: true,
  find: ({ params }, services) => findTable(services, params.tableId),
  findToChange: ({ params }, services) => findTableToChange(services, params.tableId),
  subject: metadataSubject.table,
  listReply: 'The metadata, those of its columns left out',
  list: async (table, services) => (await tableMetadata(services, table)).metadata,
  deletedEvent: ({ name }, facts, request) =>
    auditEvent('tableMetadataDeleted', { id: request.params.tableId, name, ...facts }),
  refuseDelete: (table, metadataId) => refuseServiceMetadatum(table, metadataId),
}

/** Sets metadata of a table and its columns. The reply to a form is, as ever, only the list of the table. */
routes.post('/v2/storage/tables/{tableId}/metadata', {
  summary: 'Set metadata of a table and its columns',
  body: z.object({ ...metadataFields, columnsMetadata: columnsMetadataField }),
  replies: { 201: 'All metadata of the table', 400: '`storage.metadata.…`', 404: 'There is no such table' },
  reply: z.union([
    z.array(metadatumBody),
    z.object({
      metadata: z.array(metadatumBody),
      columnsMetadata: z.union([z.record(z.string(), z.array(metadatumBody)), emptyList]),
    }),
  ]),
  handle: async (request, services) => {
    const { params, body, raw } = request
    const table = await findTableToChange(services, params.tableId)
    const provider = readProvider(body.provider)
    refuseServiceProvider(table, provider)
    const ofTable =
      body.metadata === undefined && body.columnsMetadata !== undefined
        ? []
        : readMetadata(body.metadata, { provider })
    const columns = columnNames(table.snapshot)
    const ofColumns =
      body.columnsMetadata === undefined
        ? []
        : readColumnsMetadata(body.columnsMetadata, { provider, columns })
    const given = [...ofTable, ...ofColumns]
    await storeMetadata(services, metadataSubject.table(table), given)
    const about = { id: params.tableId, name: table.name }
    await recordAudit(request, services, 'tableMetadataSet', { ...about, params: metadataParams(given) })
    const { metadata, columnMetadata } = await tableMetadata(services, table)
    const isJson = raw.headers.get('content-type')?.includes('json') ?? false
    return isJson ? { metadata, columnsMetadata: columnMetadata } : metadata
  },
})

interface Column {
  column: string
  table: TableHead
}

/** `in.c-main.orders.id`: the column `id` of a table. Error: 404 `storage.tables.notFound` or `storage.columns.notFound`. */
const findColumn = async (
  services: Services,
  columnId: string,
  find: typeof findTableToChange,
): Promise<Column> => {
  const dot = columnId.lastIndexOf('.')
  const column = columnId.slice(dot + 1)
  const table = await find(services, columnId.slice(0, Math.max(dot, 0)))
  if (!columnNames(table.snapshot).includes(column))
    throw new UserError('storage.columns.notFound', `Column "${column.slice(0, 100)}" not found in the table`)
  return { column, table }
}

const aboutTable = (table: TableHead) => ({ id: tableIdOf(table), name: table.name })

const columnMetadata: MetadataOwner<{ columnId: string }, Column> = {
  path: '/v2/storage/columns/{columnId}/metadata',
  kind: 'column',
  missing: 'table or column',
  hasProvider: true,
  find: ({ params }, services) => findColumn(services, params.columnId, findTable),
  findToChange: ({ params }, services) => findColumn(services, params.columnId, findTableToChange),
  subject: ({ table }) => metadataSubject.table(table),
  column: ({ column }) => column,
  list: async ({ table, column }, services) =>
    (await allTableMetadata(services, table)).filter(each => each.column === column).map(metadatumResource),
  setEvent: ({ table, column }, params) =>
    auditEvent('columnMetadataSet', {
      ...aboutTable(table),
      words: { column },
      params: { column, ...params },
    }),
  deletedEvent: ({ table, column }, { words, params }) =>
    auditEvent('columnMetadataDeleted', {
      ...aboutTable(table),
      words: { column, ...words },
      params: { column, ...params },
    }),
  refuseSet: ({ table }, provider) => refuseServiceProvider(table, provider),
  refuseDelete: ({ table }, metadataId) => refuseServiceMetadatum(table, metadataId),
}

const refusal = (verb: 'edited' | 'deleted'): UserError =>
  new UserError(
    'storage.metadata.invalidProvider',
    `Metadata with "${SERVICE_PROVIDER}" provider cannot be ${verb} by user.`,
    { status: 403 },
  )

/** Error: 403 `storage.metadata.invalidProvider` for the provider of what the service says itself of a typed table. */
const refuseServiceProvider = ({ snapshot }: TableHead, provider: string): void => {
  if (provider === SERVICE_PROVIDER && isTypedTable(snapshot)) throw refusal('edited')
}

/** Error: 403 `storage.metadata.invalidProvider` for an item that follows from the types of the table. */
const refuseServiceMetadatum = (table: TableHead, id: string): void => {
  if (typeMetadata(table).some(each => each.id === id)) throw refusal('deleted')
}

export const metadataRoutes: readonly Route[] = [
  ...metadataRoutesOf(branchMetadata),
  ...metadataRoutesOf(bucketMetadata),
  ...metadataRoutesOf(columnMetadata),
  ...metadataRoutesOf(configurationMetadata),
  ...metadataRoutesOf(tableMetadataOwner),
  ...routes.list,
]
