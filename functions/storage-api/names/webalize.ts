import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { MAX_COLUMN_NAME_LENGTH, sanitizeColumnName } from '../../lib/table-engine/csv/column-names.ts'
import { text } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { columnNames } from './column-names-field.ts'

const MAX_DISPLAY_NAME_LENGTH = 96

/** A valid name loses its `_` at the ends, so one at the end marks a reserved name, which this leaves alone. */
const webalize = (name: string): string => sanitizeColumnName(name).replace(/_$/, '')

/**
 * Makes a display name of any text: accents are dropped, and words are joined by dashes. Error: 422
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
    // Whatever is no letter, digit or `_` separates words.
    const words = body.displayName.split(/(?:(?!_)[\s\p{P}\p{S}])+/u)
    const displayName = words.map(webalize).filter(Boolean).join('-').slice(0, MAX_DISPLAY_NAME_LENGTH)
    if (displayName === '')
      throw new UserError('storage.webalize.displayName.invalid', 'Filtered name "" should be valid name')
    return ok({ displayName })
  },
})

/** The column names for these headings. */
export const webalizeColumnNames = defineRoute({
  method: 'post',
  path: '/v2/storage/webalize/column-names',
  summary: 'Make column names of texts',
  tag: 'names',
  body: z.object({ columnNames }),
  validationCode: 'validation.failed',
  replies: { 200: 'The column names, in the same order', 422: '`validation.failed`: a name is blank' },
  reply: z.object({ columnNames: z.array(z.string()).openapi({ example: ['Grosse_cm', 'id'] }) }),
  handle: async ({ body }) =>
    ok({
      columnNames: body.columnNames.map(name => webalize(name).slice(0, MAX_COLUMN_NAME_LENGTH)),
    }),
})
