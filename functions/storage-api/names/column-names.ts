import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import {
  asciiName,
  MAX_COLUMN_NAME_LENGTH,
  sanitizeColumnName,
} from '../../lib/table-engine/csv/column-names.ts'
import { listOf, text } from '../http/fields.ts'
import { routesOf } from '../http/route.ts'

export const routes = routesOf('names')

/** Names of columns to check or to make valid. None may be blank or `null`. */
const columnNames = listOf(
  z.preprocess(name => name ?? '', text({ min: 1, max: 10_000 })).meta({ type: 'string' }),
)

/** Checks column names as clients do before they send data. Error: 422 `validation.failed` with the reasons. */
routes.post('/v2/storage/validate/column-names', {
  summary: 'Validate column names',
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
      throw new UserError('validation.failed', `Invalid request:${lines.join('')}`, {
        params: { errors },
        status: 422,
      })
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

const MAX_DISPLAY_NAME_LENGTH = 96

/** A valid name loses its `_` at the ends, so one at the end marks a reserved name, which this leaves alone. */
const webalize = (name: string): string => name.replace(/_$/, '')

/**
 * Makes a display name of any text: accents are dropped, and words are joined by dashes. Error: 422
 * `storage.webalize.displayName.invalid`.
 */
routes.post('/v2/storage/webalize/display-name', {
  summary: 'Make a display name of a text',
  body: z.object({ displayName: text({ max: 1_000 }) }),
  replies: {
    200: 'The display name',
    422: '`storage.webalize.displayName.invalid`: nothing is left of the text',
  },
  reply: z.object({ displayName: z.string().meta({ example: 'Grosse-cm' }) }),
  handle: async ({ body }) => {
    // Whatever is no letter, digit or `_` separates words.
    const words = body.displayName.split(/(?:(?!_)[\s\p{P}\p{S}])+/u)
    const displayName = words
      .map(word => webalize(asciiName(word)))
      .filter(Boolean)
      .join('-')
      .slice(0, MAX_DISPLAY_NAME_LENGTH)
    if (displayName === '')
      throw new UserError('storage.webalize.displayName.invalid', 'Filtered name "" should be valid name')
    return { displayName }
  },
})

/** The column names for these headings. */
routes.post('/v2/storage/webalize/column-names', {
  summary: 'Make column names of texts',
  body: z.object({ columnNames }),
  validationCode: 'validation.failed',
  replies: { 200: 'The column names, in the same order', 400: '`validation.failed`: a name is blank' },
  reply: z.object({ columnNames: z.array(z.string()).meta({ example: ['Grosse_cm', 'id'] }) }),
  handle: async ({ body }) => ({
    columnNames: body.columnNames.map(name =>
      webalize(sanitizeColumnName(name)).slice(0, MAX_COLUMN_NAME_LENGTH),
    ),
  }),
})
