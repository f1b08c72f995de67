import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { changeAlias } from '../../lib/storage/tables/aliases/change-alias.ts'
import { recordEvent } from '../events/record-event.ts'
import { noContent } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { findAlias } from './find-alias.ts'

/** Shows all rows of the source again. Idempotent. */
export const removeAliasFilter = defineRoute({
  method: 'delete',
  path: '/v2/storage/tables/{tableId}/alias-filter',
  summary: 'Remove the filter of an alias',
  tag: 'aliases',
  replies: { 204: 'Removed', 400: 'It is no alias', 404: 'There is no such table' },
  handle: async (request, services) => {
    const { tableId } = request.params
    const { alias, name } = await findAlias(services, request)
    const isChanged = await changeAlias(
      alias.record,
      async current => {
        const { filter, ...others } = current
        return filter ? others : current
      },
      services,
    )
    if (isChanged)
      await recordEvent(request, services, auditEvent('tableAliasFilterRemoved', { id: tableId, name }))
    return noContent()
  },
})
