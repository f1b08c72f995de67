import { z } from '@hono/zod-openapi'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { columnNames } from '../../lib/table-engine/snapshot.ts'
import { emptyList } from '../../lib/wire/fields.ts'
import { metadatumBody } from '../../lib/wire/metadatum-body.ts'
import { recordEvent } from '../events/record-event.ts'
import { created } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { findTable, findTableToChange } from '../tables/find-table.ts'
import { metadataParams } from './metadata-events.ts'
import type { MetadataOwner } from './metadata-owner.ts'
import { tableMetadata } from './metadata-resource.ts'
import {
  columnsMetadataField,
  metadataFields,
  readColumnsMetadata,
  readMetadata,
  readProvider,
} from './read-metadata.ts'
import { refuseServiceMetadatum } from './service-metadata.ts'
import { storeMetadata } from './store-metadata.ts'

export const tableMetadataOwner: MetadataOwner<{ tableId: string }, TableHead> = {
  path: '/v2/storage/tables/{tableId}/metadata',
  kind: 'table',
  hasProvider: true,
  find: ({ params }, services) => findTable(services, params.tableId),
  findToChange: ({ params }, services) => findTableToChange(services, params.tableId),
  subject: metadataSubject.table,
  list: async (table, services) => (await tableMetadata(services, table)).metadata,
  setEvent: ({ name }, params, request) =>
    auditEvent('tableMetadataSet', { id: request.params.tableId, name, params }),
  deletedEvent: ({ name }, facts, request) =>
    auditEvent('tableMetadataDeleted', { id: request.params.tableId, name, ...facts }),
  refuseDelete: (table, metadataId) => refuseServiceMetadatum(table, metadataId),
}

/** Sets metadata of a table and its columns. The reply to a form is, as ever, only the list of the table. */
export const setTableMetadata = defineRoute({
  method: 'post',
  path: '/v2/storage/tables/{tableId}/metadata',
  summary: 'Set metadata of a table and its columns',
  tag: 'metadata',
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
    const event = auditEvent('tableMetadataSet', { ...about, params: metadataParams(given) })
    await recordEvent(request, services, event)
    const { metadata, columnMetadata } = await tableMetadata(services, table)
    const isJson = raw.headers.get('content-type')?.includes('json') ?? false
    return created(isJson ? { metadata, columnsMetadata: columnMetadata } : metadata)
  },
})
