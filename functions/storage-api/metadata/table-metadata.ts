import { z } from '@hono/zod-openapi'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { columnNames } from '../../lib/table-engine/snapshot.ts'
import { emptyList } from '../../lib/wire/fields.ts'
import { metadatumBody } from '../../lib/wire/metadatum-body.ts'
import { recordEvent } from '../events/record-event.ts'
import { created, noContent, ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { findTable, findTableToChange } from '../tables/find-table.ts'
import { deletedFacts, metadataParams } from './metadata-events.ts'
import { tableMetadata } from './metadata-resource.ts'
import {
  columnsMetadataField,
  metadataFields,
  metadataNotFound,
  readColumnsMetadata,
  readMetadata,
  readProvider,
} from './read-metadata.ts'
import { refuseServiceMetadatum } from './service-metadata.ts'
import { storeMetadata } from './store-metadata.ts'

const path = '/v2/storage/tables/{tableId}/metadata'

export const listTableMetadata = defineRoute({
  method: 'get',
  path,
  summary: 'List the metadata of a table',
  tag: 'metadata',
  replies: { 200: 'The metadata, those of its columns left out', 404: 'There is no such table' },
  reply: z.array(metadatumBody),
  handle: async ({ params }, services) => {
    const table = await findTable(services, params.tableId)
    return ok((await tableMetadata(services, table)).metadata)
  },
})

/** Sets metadata of a table and its columns. The reply to a form is, as ever, only the list of the table. */
export const setTableMetadata = defineRoute({
  method: 'post',
  path,
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

export const deleteTableMetadata = defineRoute({
  method: 'delete',
  path: '/v2/storage/tables/{tableId}/metadata/{metadataId}',
  summary: 'Delete a metadatum of a table',
  tag: 'metadata',
  replies: { 204: 'Deleted', 404: 'There is no such table or metadatum' },
  handle: async (request, services) => {
    const { params } = request
    const table = await findTableToChange(services, params.tableId)
    refuseServiceMetadatum(table, params.metadataId)
    const deleted = await services.metadata.delete(metadataSubject.table(table), params.metadataId)
    if (!deleted) throw metadataNotFound(params.metadataId)
    const about = { id: params.tableId, name: table.name }
    const event = auditEvent('tableMetadataDeleted', { ...about, ...deletedFacts(deleted) })
    await recordEvent(request, services, event)
    return noContent()
  },
})
