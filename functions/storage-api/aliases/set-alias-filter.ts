import { z } from '@hono/zod-openapi'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { refuseDependents } from '../../lib/storage/tables/aliases/alias-rules.ts'
import { changeAlias } from '../../lib/storage/tables/aliases/change-alias.ts'
import { refuseUnknownColumns } from '../../lib/table-engine/row-conditions.ts'
import { columnNames } from '../../lib/table-engine/snapshot.ts'
import { tableBody } from '../../lib/wire/table-body.ts'
import { recordEvent } from '../events/record-event.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { findTable } from '../tables/find-table.ts'
import { tableDetail } from '../tables/table-detail.ts'
import { aliasFilterFields } from './alias-fields.ts'
import { completeFilter } from './complete-filter.ts'
import { findAlias } from './find-alias.ts'

/** Sets which rows of its source an alias shows. What the request leaves out stays. */
export const setAliasFilter = defineRoute({
  method: 'post',
  path: '/v2/storage/tables/{tableId}/alias-filter',
  summary: 'Set the filter of an alias',
  tag: 'aliases',
  body: z.object(aliasFilterFields),
  validationCode: 'storage.tables.validation',
  replies: { 200: 'The alias', 400: 'It is no alias, or has aliases itself', 404: 'There is no such table' },
  reply: tableBody,
  handle: async (request, services) => {
    const { body, baseUrl } = request
    const { tableId } = request.params
    const { alias, name } = await findAlias(services, request)
    const isChanged = await changeAlias(
      alias.record,
      async current => {
        const filter = completeFilter(body, current.filter)
        if (!filter || JSON.stringify(filter) === JSON.stringify(current.filter)) return current
        refuseUnknownColumns(columnNames(alias.source.snapshot), [filter.column])
        await refuseDependents(current, 'alias filter', services.aliases)
        return { ...current, filter }
      },
      services,
    )
    const changed = await findTable(services, tableId)
    if (isChanged) {
      const params = { aliasFilter: changed.alias?.record.filter }
      await recordEvent(request, services, auditEvent('tableAliasFilterSet', { id: tableId, name, params }))
    }
    return ok(await tableDetail(services, changed, baseUrl))
  },
})
