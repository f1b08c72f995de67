import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { updateTable as changeTable } from '../../lib/storage/tables/update-table.ts'
import { tableBody } from '../../lib/wire/table-body.ts'
import { recordEvent } from '../events/record-event.ts'
import { flag, text } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { findTable } from './find-table.ts'
import { tableDetail } from './table-detail.ts'
import { checkTableName } from './table-name.ts'

const isAsync = { async: flag().default(false) }

/** Changes the display name. The id never changes. */
export const updateTable = defineRoute({
  method: 'put',
  path: '/v2/storage/tables/{tableId}',
  summary: 'Update a table',
  tag: 'tables',
  query: z.object(isAsync),
  body: z.object({ ...isAsync, displayName: text({ max: 300 }).optional() }),
  validationCode: 'storage.tables.validation',
  replies: { 200: 'The table', 202: 'A job `tableUpdate`, with `async=1`', 404: 'There is no such table' },
  reply: tableBody,
  handle: async (request, services) => {
    const { query, body, baseUrl } = request
    const { tableId } = request.params
    if (body.displayName === '')
      throw new UserError(
        'storage.tables.validation',
        'Invalid data - displayName: This value should not be blank.',
      )
    const table = await findTable(services, tableId)
    const { displayName } = checkTableName({
      name: table.name,
      displayName: body.displayName ?? table.displayName,
    })
    if (query.async || body.async)
      return submitJob(request, services, {
        input: { operationName: 'tableUpdate', tableId, displayName },
        tableId,
        queueTableId: tableId,
        admit: async () => ({ displayName }),
      })
    await services.own.table(tableId)
    const updated = await changeTable(tableId, { displayName }, services)
    const event = auditEvent('tableUpdated', { id: tableId, name: table.name, params: { displayName } })
    await recordEvent(request, services, event)
    return ok(await tableDetail(services, updated, baseUrl))
  },
})
