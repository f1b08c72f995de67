import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { refuseInvalidColumnNames } from '../../lib/storage/tables/table-columns.ts'
import { tableAlreadyExists } from '../../lib/storage/tables/table-errors.ts'
import { refuseTakenName } from '../../lib/storage/tables/update-table.ts'
import { sanitizeColumnName } from '../../lib/table-engine/csv/column-names.ts'
import { MAX_COLUMNS } from '../../lib/table-engine/map-columns.ts'
import { findBucket } from '../buckets/find-bucket.ts'
import { listOf, text, textList } from '../http/fields.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { refuseTableOverQuota } from '../quotas/refuse-over-quota.ts'
import { columnFields, hasType, readColumn, refuseUnknownKeyColumns } from './column-definition.ts'
import { checkTableName } from './table-name.ts'

/**
 * Creates an empty table with typed columns, by a job `tableDefinitionCreate`. Without any type it is an untyped table.
 */
export const defineTable = defineRoute({
  method: 'post',
  path: '/v2/storage/buckets/{bucketId}/tables-definition',
  summary: 'Create an empty table with typed columns',
  tag: 'tables',
  body: z.object({
    name: text({ max: 300 }).optional(),
    displayName: text({ max: 300 }).optional(),
    primaryKeysNames: textList({ itemMax: 255 }).default([]),
    columns: listOf(z.object(columnFields), { max: MAX_COLUMNS }).default([]),
  }),
  validationCode: 'storage.tables.validation',
  replies: { 202: 'The job `tableDefinitionCreate`', 404: 'There is no such bucket' },
  handle: async (request, services) => {
    const { bucketId } = request.params
    const { body } = request
    const primaryKeysNames = body.primaryKeysNames.map(sanitizeColumnName)
    const { name, displayName } = checkTableName(body)
    const isTyped = body.columns.some(hasType)
    const columns = body.columns
      .map(column => ({ ...column, name: sanitizeColumnName(column.name) }))
      .map(column => readColumn(column, { isKey: primaryKeysNames.includes(column.name) }))
    const names = columns.map(column => column.name)
    if (names.length === 0)
      throw new UserError('storage.tables.validation.noColumns', 'A table needs at least one column.')
    refuseInvalidColumnNames(names)
    refuseUnknownKeyColumns(primaryKeysNames, names)
    const definition = { primaryKeysNames: [...new Set(primaryKeysNames)], columns }
    const tableId = `${bucketId}.${name}`
    return submitJob(request, services, {
      input: { operationName: 'tableDefinitionCreate', bucketId, name, displayName, definition, isTyped },
      queueTableId: tableId,
      admit: async () => {
        await findBucket(services, bucketId)
        await refuseTableOverQuota(bucketId, services)
        if (await services.tables.getHead(tableId)) throw tableAlreadyExists(name, displayName)
        await refuseTakenName({ bucketId, name, displayName }, services.tables)
        return { params: { name, ...definition }, queue: 'main' }
      },
    })
  },
})
