import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { refuseReferencedKey } from '../../lib/storage/tables/aliases/alias-rules.ts'
import { dropNow, refuseAliases, refuseSwap } from '../../lib/storage/tables/drop-table.ts'
import { refuseKey } from '../../lib/storage/tables/table-columns.ts'
import { nameOfTable, tableIdOf } from '../../lib/storage/tables/table-store.ts'
import { updateTable as changeTable, checkTableName } from '../../lib/storage/tables/update-table.ts'
import { keyNames } from '../../lib/wire/primary-key.ts'
import { tableBody } from '../../lib/wire/table-body.ts'
import { findOwnTable, findTable, findTableInBucket } from '../find/find-table.ts'
import { commaList, flag, text, textList } from '../http/fields.ts'
import { tellingAudit } from '../http/record-event.ts'
import { requireTable } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { tableDetail } from './read-tables.ts'

export const routes = routesOf('tables')

const isAsync = { async: flag().default(false) }

/** Changes the display name. The id never changes. */
routes.put('/v2/storage/tables/{tableId}', {
  summary: 'Update a table',
  query: z.object(isAsync),
  body: z.object({ ...isAsync, displayName: text({ max: 300 }).optional() }),
  validationCode: 'storage.tables.validation',
  replies: { 200: 'The table', 202: 'A job `tableUpdate`, with `async=1`', 404: 'There is no such table' },
  reply: tableBody,
  handle: async (request, services) => {
    const { query, body } = request
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
        admit: async () => ({ displayName }),
      })
    await services.own.table(tableId)
    const updated = await changeTable(tableId, { displayName }, services, ({ name }) =>
      tellingAudit(request, services, 'tableUpdated', { id: tableId, name, params: { displayName } }),
    )
    return tableDetail(services, updated, request)
  },
})

/**
 * Deletes a table: at once, or with `async=1` by a job that waits for the jobs before it. When a table is deleted at
 * once, a running job on it fails. With `force` its aliases go too.
 */
routes.delete('/v2/storage/tables/{tableId}', {
  summary: 'Delete a table',
  query: z.object({ force: flag().default(false), async: flag().default(false) }),
  replies: {
    204: 'Deleted',
    202: 'A job `tableDrop`, with `async=1`',
    400: '`tables.cannotDeletedTableWithAliases`: it has aliases, and `force=1` was not given',
    404: 'There is no such bucket or table',
  },
  handle: async (request, services) => {
    const { tableId } = request.params
    const { force, async } = request.query
    if (async)
      return submitJob(request, services, {
        input: { operationName: 'tableDrop', tableId, force },
        admit: async () => {
          const table = await findTableInBucket(services, tableId)
          await refuseAliases(table, force, services.aliases)
          return { tableId: tableIdOf(table), force }
        },
      })
    const table = await findTableInBucket(services, tableId)
    const telling = (id: string) =>
      tellingAudit(request, services, 'tableDeleted', { id, name: nameOfTable(id), params: { force } })
    await dropNow(table, { ...services, force, telling })
    return undefined
  },
})

/** Exchanges the rows, columns, types, keys and histories of two tables, which keep their names, aliases and metadata. */
routes.post('/v2/storage/tables/{tableId}/swap', {
  summary: 'Swap two tables',
  body: z.object({ targetTableId: text({ min: 1, max: 500 }) }),
  validationCode: 'storage.tables.validation',
  replies: {
    202: 'A job `tableSwap`; its results are the table',
    400: '`storage.tables.validation`, or `storage.tables.cannotDeleteReferencedColumn` for a column that an alias names',
    403: 'The token may not write to both',
    404: 'There is no such table',
  },
  handle: async (request, services) => {
    const { tableId } = request.params
    const { targetTableId } = request.body
    requireTable(request.caller, targetTableId, 'write')
    const [queueTableId = tableId] = [tableId, targetTableId].toSorted()
    return submitJob(request, services, {
      input: { operationName: 'tableSwap', tableId, targetTableId },
      queueTableId,
      admit: async () => {
        if (tableId === targetTableId)
          throw new UserError('storage.tables.validation', 'A table cannot be swapped with itself.')
        const table = await findOwnTable(services, tableId)
        await refuseSwap(table, await findOwnTable(services, targetTableId), services.aliases)
        return { targetTableId }
      },
    })
  },
})

/** Copies a table of the default branch, with its bucket, into the branch of the path, in place of what it has there. */
routes.post('/v2/storage/tables/{tableId}/pull', {
  summary: 'Copy a table of the default branch into a branch',
  replies: {
    202: 'A job `tablePull`; its results are the table',
    404: 'The default branch has no such table',
    501: 'The path names the default branch',
  },
  handle: async (request, services) => {
    const { tableId } = request.params
    return submitJob(request, services, {
      input: { operationName: 'tablePull', tableId },
      admit: async () => {
        if (request.branchId === defaultBranchId)
          throw new UserError('notImplemented', 'A table cannot be pulled into the default branch.')
        await findTable({ ...services, ...services.inBranch(defaultBranchId) }, tableId)
        return { tableId }
      },
    })
  },
})

/** Makes columns the primary key of a table without one, unless two rows have the same values in them. */
routes.post('/v2/storage/tables/{tableId}/primary-key', {
  summary: 'Add a primary key to a table',
  body: z.object({ columns: z.union([textList({ itemMax: 255 }), commaList()]).default([]) }),
  validationCode: 'storage.validation.primaryKey',
  replies: {
    202: 'The job `tablePrimaryKeyAdd`',
    400: '`storage.validation.primaryKey`',
    404: 'There is no such table',
  },
  handle: async (request, services) => {
    const { tableId } = request.params
    const columns = keyNames(request.body.columns)
    return submitJob(request, services, {
      input: { operationName: 'tablePrimaryKeyAdd', tableId, columns },
      admit: async () => {
        refuseKey(await findOwnTable(services, tableId), columns)
        return { columns }
      },
    })
  },
})

/** Removes the primary key of a table. Idempotent. */
routes.delete('/v2/storage/tables/{tableId}/primary-key', {
  summary: 'Delete the primary key of a table',
  replies: { 202: 'The job `tablePrimaryKeyDelete`', 404: 'There is no such table' },
  handle: async (request, services) => {
    const { tableId } = request.params
    return submitJob(request, services, {
      input: { operationName: 'tablePrimaryKeyDelete', tableId },
      admit: async () => {
        await refuseReferencedKey(await findOwnTable(services, tableId), services.aliases)
        return {}
      },
    })
  },
})
