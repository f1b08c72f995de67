import { UserError } from '../../lib/errors/errors.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { tableIdOf } from '../../lib/storage/tables/table-store.ts'
import { columnNames } from '../../lib/table-engine/snapshot.ts'
import type { Services } from '../services.ts'
import { findTable, findTableToChange } from '../tables/find-table.ts'
import type { MetadataOwner } from './metadata-owner.ts'
import { allTableMetadata, metadatumResource } from './metadata-resource.ts'
import { refuseServiceMetadatum } from './service-metadata.ts'

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

export const columnMetadata: MetadataOwner<{ columnId: string }, Column> = {
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
  refuseDelete: ({ table }, metadataId) => refuseServiceMetadatum(table, metadataId),
}
