import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { MAX_COLUMN_NAME_LENGTH, sanitizeColumnName } from '../../lib/table-engine/csv/column-names.ts'
import { text, textList } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'

const MAX_DISPLAY_NAME_LENGTH = 96

/**
 * Makes a display name of any text: like a column name, but with dashes. Error: 422
 * `storage.webalize.displayName.invalid`.
 */
export const webalizeDisplayName = defineRoute({
  method: 'post',
  path: '/v2/storage/webalize/display-name',
  summary: 'Make a display name of a text',
  tag: 'names',
  body: z.object({ displayName: text({ max: 1_000 }) }),
  replies: {
    200: 'The display name',
    422: '`storage.webalize.displayName.invalid`: nothing is left of the text',
  },
  reply: z.object({ displayName: z.string().openapi({ example: 'Grosse-cm' }) }),
  handle: async ({ body }) => {
    const parts = body.displayName.split('-').map(sanitizeColumnName).filter(Boolean)
    const displayName = parts.join('-').slice(0, MAX_DISPLAY_NAME_LENGTH)
    if (displayName === '')
      throw new UserError('storage.webalize.displayName.invalid', 'Nothing is left of the display name.')
    return ok({ displayName })
  },
})

/** The column names for these headings. */
export const webalizeColumnNames = defineRoute({
  method: 'post',
  path: '/v2/storage/webalize/column-names',
  summary: 'Make column names of texts',
  tag: 'names',
  body: z.object({ columnNames: textList({ itemMax: 10_000 }) }),
  replies: { 200: 'The column names, in the same order' },
  reply: z.object({ columnNames: z.array(z.string()).openapi({ example: ['Grosse_cm', 'id'] }) }),
  handle: async ({ body }) =>
    ok({
      columnNames: body.columnNames.map(name => sanitizeColumnName(name).slice(0, MAX_COLUMN_NAME_LENGTH)),
    }),
})
