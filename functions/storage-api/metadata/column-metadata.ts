import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { tableIdOf } from '../../lib/storage/tables/table-store.ts'
import { columnNames } from '../../lib/table-engine/snapshot.ts'
import { metadatumBody } from '../../lib/wire/metadatum-body.ts'
import { recordEvent } from '../events/record-event.ts'
import { created, noContent, ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import type { Services } from '../services.ts'
import { findTable, findTableToChange } from '../tables/find-table.ts'
import { deletedFacts, metadataParams } from './metadata-events.ts'
import { allTableMetadata, metadatumResource } from './metadata-resource.ts'
import { metadataFields, metadataNotFound, readMetadata, readProvider } from './read-metadata.ts'
import { refuseServiceMetadatum } from './service-metadata.ts'
import { storeMetadata } from './store-metadata.ts'

const path = '/v2/storage/columns/{columnId}/metadata'

/** `in.c-main.orders.id`: the column `id` of a table. Error: 404 `storage.tables.notFound` or `storage.columns.notFound`. */
const findColumn = async (
  services: Services,
  columnId: string,
  find: typeof findTableToChange = findTable,
) => {
  const dot = columnId.lastIndexOf('.')
  const column = columnId.slice(dot + 1)
  const table = await find(services, columnId.slice(0, Math.max(dot, 0)))
  if (!columnNames(table.snapshot).includes(column))
    throw new UserError('storage.columns.notFound', `Column "${column.slice(0, 100)}" not found in the table`)
  return { column, table, subject: metadataSubject.table(table) }
}

const aboutTable = (table: TableHead) => ({ id: tableIdOf(table), name: table.name })

const listOf = async (services: Services, { table, column }: { table: TableHead; column: string }) =>
  (await allTableMetadata(services, table)).filter(each => each.column === column).map(metadatumResource)

export const listColumnMetadata = defineRoute({
  method: 'get',
  path,
  summary: 'List the metadata of a column',
  tag: 'metadata',
  replies: { 200: 'The metadata', 404: 'There is no such table or column' },
  reply: z.array(metadatumBody),
  handle: async ({ params }, services) =>
    ok(await listOf(services, await findColumn(services, params.columnId))),
})

export const setColumnMetadata = defineRoute({
  method: 'post',
  path,
  summary: 'Set metadata of a column',
  tag: 'metadata',
  body: z.object(metadataFields),
  replies: {
    201: 'All metadata of the column',
    400: '`storage.metadata.…`',
    404: 'There is no such table or column',
  },
  reply: z.array(metadatumBody),
  handle: async (request, services) => {
    const { params, body } = request
    const { subject, column, table } = await findColumn(services, params.columnId, findTableToChange)
    const given = readMetadata(body.metadata, { provider: readProvider(body.provider), column })
    await storeMetadata(services, subject, given)
    const event = auditEvent('columnMetadataSet', {
      ...aboutTable(table),
      words: { column },
      params: { column, ...metadataParams(given) },
    })
    await recordEvent(request, services, event)
    return created(await listOf(services, { table, column }))
  },
})

export const deleteColumnMetadata = defineRoute({
  method: 'delete',
  path: '/v2/storage/columns/{columnId}/metadata/{metadataId}',
  summary: 'Delete a metadatum of a column',
  tag: 'metadata',
  replies: { 204: 'Deleted', 404: 'There is no such column or metadatum' },
  handle: async (request, services) => {
    const { params } = request
    const { subject, column, table } = await findColumn(services, params.columnId, findTableToChange)
    refuseServiceMetadatum(table, params.metadataId)
    const deleted = await services.metadata.delete(subject, params.metadataId, column)
    if (!deleted) throw metadataNotFound(params.metadataId)
    const { words, params: facts } = deletedFacts(deleted)
    const event = auditEvent('columnMetadataDeleted', {
      ...aboutTable(table),
      words: { column, ...words },
      params: { column, ...facts },
    })
    await recordEvent(request, services, event)
    return noContent()
  },
})
