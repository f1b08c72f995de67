import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { refuseDependents } from '../../lib/storage/tables/aliases/alias-rules.ts'
import { changeAlias } from '../../lib/storage/tables/aliases/change-alias.ts'
import { columnNames } from '../../lib/table-engine/snapshot.ts'
import { recordEvent } from '../events/record-event.ts'
import { noContent } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { findAlias } from './find-alias.ts'

const route = {
  path: '/v2/storage/tables/{tableId}/alias-columns-auto-sync',
  tag: 'aliases',
  replies: { 204: 'Done', 400: 'It is no alias, or has aliases itself', 404: 'There is no such table' },
} as const

/** From now on the alias has the columns of its source, at any time. Idempotent. */
export const enableColumnsAutoSync = defineRoute({
  ...route,
  method: 'post',
  summary: 'Let the columns of an alias follow its source',
  handle: async (request, services) => {
    const { tableId } = request.params
    const { alias, name } = await findAlias(services, request)
    const isChanged = await changeAlias(
      alias.record,
      async current => {
        const { columns, ...others } = current
        return columns ? others : current
      },
      services,
    )
    const event = auditEvent('tableAliasColumnsAutoSyncEnabled', { id: tableId, name })
    if (isChanged) await recordEvent(request, services, event)
    return noContent()
  },
})

/** The alias keeps the columns that it has now, and they can be chosen one by one. Idempotent. */
export const disableColumnsAutoSync = defineRoute({
  ...route,
  method: 'delete',
  summary: 'Keep the columns of an alias as they are',
  handle: async (request, services) => {
    const { tableId } = request.params
    const { alias, name } = await findAlias(services, request)
    const columns = columnNames(alias.source.snapshot)
    const isChanged = await changeAlias(
      alias.record,
      async current => {
        if (current.columns) return current
        await refuseDependents(current, 'auto sync settings', services.aliases)
        return { ...current, columns }
      },
      services,
    )
    const event = auditEvent('tableAliasColumnsAutoSyncDisabled', { id: tableId, name, params: { columns } })
    if (isChanged) await recordEvent(request, services, event)
    return noContent()
  },
})
