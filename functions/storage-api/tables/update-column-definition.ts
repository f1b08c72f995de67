import { z } from '@hono/zod-openapi'
import { changeDefinition } from '../../lib/storage/tables/change-definition.ts'
import { findTypedColumn } from '../../lib/storage/tables/table-columns.ts'
import { flag, text } from '../http/fields.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { findOwnTable } from './find-table.ts'

/** PHP clients send `null`, and forms an empty text, for what is not set. */
const unlessUnset = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(value => (value === null || value === '' ? undefined : value), schema.optional())

/**
 * Changes what a column of a typed table allows, by a job `tableColumnDefinitionUpdate`: a longer text, more digits of a
 * number, whether it may be NULL, its default. An empty default or `null` removes it.
 */
export const updateColumnDefinition = defineRoute({
  method: 'put',
  path: '/v2/storage/tables/{tableId}/columns/{column}/definition',
  summary: 'Change the definition of a column',
  tag: 'tables',
  keepsNull: true,
  body: z.object({
    length: unlessUnset(text({ max: 100 })),
    nullable: unlessUnset(flag()),
    default: z
      .union([z.null(), z.boolean().transform(String), text({ max: 10_000 })])
      .optional()
      .openapi({ type: 'string', example: '0' }),
  }),
  validationCode: 'storage.tables.validation',
  replies: {
    202: 'The job `tableColumnDefinitionUpdate`',
    400: '`storage.tables.validation.cannotUpdateColumn`, `storage.tables.invalidDefaultValueForType`',
    404: 'There is no such table or column',
  },
  handle: async (request, services) => {
    const { tableId, column: name } = request.params
    const { length, nullable, default: given } = request.body
    const change = {
      ...(length !== undefined && { length }),
      ...(nullable !== undefined && { nullable }),
      ...(given !== undefined && { default: given === '' ? null : given }),
    }
    return submitJob(request, services, {
      input: { operationName: 'tableColumnDefinitionUpdate', tableId, name, change },
      tableId,
      queueTableId: tableId,
      admit: async () => {
        changeDefinition(findTypedColumn(await findOwnTable(services, tableId), name).column, change)
        const { default: wanted, ...kept } = change
        const shown =
          wanted === undefined ? {} : wanted === null ? { removeDefault: true } : { default: wanted }
        return { queue: 'main', columnName: name, columnDefinition: { ...kept, ...shown } }
      },
    })
  },
})
