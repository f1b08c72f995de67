import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { MAX_COLUMN_NAME_LENGTH, sanitizeColumnName } from '../../lib/table-engine/csv/column-names.ts'
import { noContent } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { columnNames } from './column-names-field.ts'

/** Checks column names as clients do before they send data. Error: 422 `validation.failed` with the reasons. */
export const validateColumnNames = defineRoute({
  method: 'post',
  path: '/v2/storage/validate/column-names',
  summary: 'Validate column names',
  tag: 'names',
  body: z.object({ columnNames }),
  validationCode: 'validation.failed',
  replies: { 204: 'All can be used', 422: '`validation.failed`: `errors` names each that cannot' },
  handle: async ({ body }) => {
    const seen = new Set<string>()
    const errors = body.columnNames.flatMap((name, index) => {
      const isDouble = seen.size === seen.add(name.toLowerCase()).size
      const message = reasonAgainst(name) ?? (isDouble ? `"${name}" is there twice.` : undefined)
      return message === undefined ? [] : [{ key: `columnNames[${index}]`, message }]
    })
    const lines = errors.map(({ key, message }) => `\n - ${key}: "${message}"`)
    if (errors.length > 0)
      throw new UserError('validation.failed', `Invalid request:${lines.join('')}`, { params: { errors } })
    return noContent()
  },
})

const reasonAgainst = (name: string): string | undefined => {
  if (name.length > MAX_COLUMN_NAME_LENGTH)
    return `Column name cannot be longer than ${MAX_COLUMN_NAME_LENGTH} characters.`
  // A dash is allowed: a table has `_` in its place, which no client takes for an error.
  if (!/^[A-Za-z0-9_-]+$/.test(name))
    return `"${name}" contains not allowed characters. Only alphanumeric characters dash and underscores are allowed.`
  return sanitizeColumnName(name) === `${name}_`
    ? `"${name}" is a system column used by the database for internal purposes.`
    : undefined
}
