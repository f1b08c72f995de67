import { z } from 'zod'
import type { UserCode } from '../../lib/errors/codes.ts'
import { hintAt } from '../../lib/errors/did-you-mean.ts'
import { UserError } from '../../lib/errors/errors.ts'

/** PHP clients send `null` for options that are not set. */
const withoutNull = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

/**
 * Leaves out what means "not set": `null`, and an empty text where the field cannot be one. A form has no `null`, so PHP
 * sends `columns=` and `primaryKey=` for lists and numbers that nobody gave. A required field is kept, for its error.
 */
export const withoutUnset = (schema: z.ZodType, fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(withoutNull(fields)).filter(([name, value]) => {
      const field = fieldOf(schema, name)
      const isUnset = value === '' && field !== undefined && accepts(field, undefined) && !accepts(field, '')
      return !isUnset
    }),
  )

/**
 * The value of a form field from the texts that were sent under its name. Python sends a list as `tableIds=a&tableIds=b`,
 * and a list of one as `tableIds=a`. Of a field that is no list the last text counts, as in PHP.
 */
export const formValue = (schema: z.ZodType, name: string, texts: readonly string[]): unknown => {
  const last = texts.at(-1)
  const field = fieldOf(schema, name)
  if (field === undefined || last === '') return last
  const isList = texts.length > 1 || !accepts(field, last)
  return isList && accepts(field, texts) ? [...texts] : last
}

const fieldOf = (schema: z.ZodType, name: string): z.ZodType | undefined =>
  // Fields of zod objects are zod types too; the type of `shape` is wider.
  schema instanceof z.ZodObject && Object.hasOwn(schema.shape, name)
    ? (schema.shape[name] as z.ZodType)
    : undefined

const accepts = (field: z.ZodType, value: unknown): boolean => field.safeParse(value).success

/** An issue whose message is the whole error: a sentence that clients of the hosted service compare. */
export const wholeSentence = (message: string) => ({
  code: 'custom' as const,
  message,
  params: { isWhole: true },
  input: undefined,
})

/**
 * Reads the fields of a request with their schema. Throws 400 with this code, and names every field that is invalid. A
 * name that nobody reads is refused when it looks like one that is read.
 *
 * @param passedOver gets the other names that nobody reads; absent: they are refused, too
 */
export const checkFields = <Schema extends z.ZodType>(
  schema: Schema,
  fields: unknown,
  code: UserCode,
  passedOver?: string[],
): z.output<Schema> => {
  const parsed = schema.safeParse(fields)
  const others = otherNames(schema, fields)
  const unexpected = others.flatMap(key => {
    const hint = hintAt(key, knownNames(schema))
    return passedOver && hint === '' ? [] : [{ key, message: `This field was not expected${hint}.` }]
  })
  if (parsed.success && unexpected.length === 0) {
    passedOver?.push(...others.slice(0, MOST_NAMES))
    return parsed.data
  }
  const issues = parsed.error?.issues ?? []
  const whole = issues.find(issue => issue.code === 'custom' && issue.params?.['isWhole'] === true)
  if (whole) throw new UserError(code, whole.message)
  const errors = [...issues.map(({ path, message }) => ({ key: keyOf(path), message })), ...unexpected]
  const lines = errors.map(({ key, message }) => `\n - ${key}: "${message}"`)
  throw new UserError(code, `Invalid request:${lines.join('')}`, { params: { errors } })
}

/** A schema that takes any field is asked by its reader what to do with the others. */
const otherNames = (schema: z.ZodType, fields: unknown): string[] =>
  schema instanceof z.ZodObject && schema.def.catchall === undefined
    ? Object.keys(fields ?? {})
        .filter(name => !Object.hasOwn(schema.shape, name) && !Object.hasOwn(toleratedParameters, name))
        .map(name => name.slice(0, MAX_NAME_LENGTH))
    : []

const knownNames = (schema: z.ZodType): string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : []

const MAX_NAME_LENGTH = 100
/** That a header holds. */
const MOST_NAMES = 20

/** `whereFilters[0][values]`: the name of the field in a form. */
const keyOf = ([first, ...rest]: PropertyKey[]): string =>
  [String(first ?? ''), ...rest.map(part => `[${String(part)}]`)].join('')

/**
 * Parameters that no route reads and that are passed over, because clients send them and they would change nothing here.
 * Each with its reason. Every other parameter that a route does not read is refused.
 */
export const toleratedParameters: Readonly<Record<string, string>> = {
  bucketId: 'The PHP client repeats the bucket of the path in the body of a new table.',
  transactional: 'The PHP client sends it with each new table. Every load here is all or nothing.',
  distributionKey: 'Places the rows of a table on the nodes of some backends. Tables here have no nodes.',
  syntheticPrimaryKeyEnabled:
    'Adds a key for backends that cannot replace rows without one. Tables here can.',
  aliasColumnsAutoSync:
    'A former option of new aliases: they follow their source unless `aliasColumns` is given.',
  escape: 'The PHP client sends it with exports and previews, from before CSV files had one form.',
}
