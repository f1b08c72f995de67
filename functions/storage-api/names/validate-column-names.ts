import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { MAX_COLUMN_NAME_LENGTH, sanitizeColumnName } from '../../lib/table-engine/csv/column-names.ts'
import { textList } from '../http/fields.ts'
import { noContent } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'

/** Checks whether columns can have these names unchanged. Error: 422 `validation.failed` with the reasons. */
export const validateColumnNames = defineRoute({
  method: 'post',
  path: '/v2/storage/validate/column-names',
  summary: 'Validate column names',
  tag: 'names',
  body: z.object({ columnNames: textList({ itemMax: 10_000 }) }),
  replies: { 204: 'All can be used', 422: '`validation.failed`: `errors` names each that cannot' },
  handle: async ({ body }) => {
    const seen = new Set<string>()
    const errors = body.columnNames.flatMap((name, index) => {
      const reason =
        reasonAgainst(name) ?? (seen.has(name.toLowerCase()) ? 'The name is there twice.' : undefined)
      seen.add(name.toLowerCase())
      return reason === undefined ? [] : [{ key: `columnNames[${index}]`, message: reason }]
    })
    if (errors.length > 0)
      throw new UserError('validation.failed', 'Some column names cannot be used.', {
        params: { errors },
      })
    return noContent()
  },
})

const reasonAgainst = (name: string): string | undefined => {
  const quoted = `'${name.slice(0, 100)}'`
  if (name === '') return 'The name is empty.'
  if (name.length > MAX_COLUMN_NAME_LENGTH)
    return `${quoted} is longer than ${MAX_COLUMN_NAME_LENGTH} characters.`
  const allowed = sanitizeColumnName(name)
  if (allowed === `${name}_`) return `${quoted} is a reserved name.`
  if (allowed !== name)
    return `${quoted} contains not allowed characters. Only alphanumeric characters and underscores inside are allowed.`
  return undefined
}
