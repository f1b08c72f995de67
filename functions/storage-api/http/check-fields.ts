import type { z } from '@hono/zod-openapi'
import type { UserCode } from '../../lib/errors/codes.ts'
import { UserError } from '../../lib/errors/errors.ts'

/** PHP clients send `null` for options that are not set. */
export const withoutNull = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

/** Reads the fields of a request with their schema. Throws 400 with this code, and names every invalid field. */
export const checkFields = <Schema extends z.ZodType>(
  schema: Schema,
  fields: unknown,
  code: UserCode,
): z.output<Schema> => {
  const parsed = schema.safeParse(fields)
  if (parsed.success) return parsed.data
  const errors = parsed.error.issues.map(({ path, message }) => ({ key: keyOf(path), message }))
  const lines = errors.map(({ key, message }) => `\n - ${key}: "${message}"`)
  throw new UserError(code, `Invalid request:${lines.join('')}`, { params: { errors } })
}

/** `whereFilters[0][values]`: the name of the field in a form. */
const keyOf = ([first, ...rest]: PropertyKey[]): string =>
  [String(first ?? ''), ...rest.map(part => `[${String(part)}]`)].join('')
