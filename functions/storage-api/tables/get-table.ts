import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { tableBody } from '../../lib/wire/table-body.ts'
import { recordEvent } from '../events/record-event.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { findTable } from './find-table.ts'
import { tableDetail } from './table-detail.ts'

export const getTable = defineRoute({
  method: 'get',
  path: '/v2/storage/tables/{tableId}',
  summary: 'Table detail',
  tag: 'tables',
  replies: { 200: 'The table', 404: 'There is no such table' },
  reply: tableBody,
  handle: async (request, services) => {
    const { params, baseUrl } = request
    const table = await findTable(services, params.tableId)
    const event = auditEvent('tableDetail', { id: params.tableId, name: table.name })
    await recordEvent(request, services, event)
    return ok(await tableDetail(services, table, baseUrl))
  },
})
