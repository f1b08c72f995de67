import * as z from 'zod'
import { didYouMean, hintAt } from '../../errors/did-you-mean.ts'
import { digitsAsText, isContainer, isObject, plainNumber } from '../../json/json-value.ts'
import { isFileName } from '../../paths/path-inside.ts'

/** A number that JavaScript would change is its digits. */
export const Scalar = z.preprocess(digitsAsText, z.union([z.string(), z.number(), z.boolean()]))

/** Treats `null` as "not given", which is how Generic Extractor's editor writes an option that was switched off. */
export const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess(value => (value === null ? undefined : value), schema.optional())

/** Treats an empty value as "not given": Generic Extractor sees no difference here. */
export const optionalUnlessEmpty = <T extends z.ZodType>(schema: T) =>
  z.preprocess(value => (isNothing(value) ? undefined : value), schema.optional())

const isNothing = (value: unknown): boolean =>
  value === null || value === false || value === '' || (isContainer(value) && Object.keys(value).length === 0)

/** A list; an object counts as the list of its values, which is how Generic Extractor walks through it. */
export const list = <T extends z.ZodType>(item: T) =>
  z.preprocess(given => (isObject(given) ? Object.values(given) : given), z.array(item))

/** A name-to-value object. An empty list counts as an empty object: PHP writes both alike. */
export const record = <T extends z.ZodType>(value: T) =>
  z.preprocess(
    given => (Array.isArray(given) && given.length === 0 ? {} : given),
    z.record(z.string(), value),
  )

/** `z.preprocess` for numbers that JavaScript would change: what is required stays so in the reference. */
const numbersAs = <T extends z.ZodType>(change: (value: unknown) => unknown, schema: T) => {
  const made = z.preprocess(change, schema)
  made._zod.optin = schema._zod.optin
  return made
}

/** Text; numbers are taken as their digits. */
export const text = numbersAs(digitsAsText, z.union([z.string(), z.number()])).transform(String)

export const name = text.refine(value => value !== '', 'must not be empty')

/** Files are named by it, together with the name of a table: as long as leaves room for one. */
export const filePart = text.refine(
  value => value === '' || isFileName(value, 100),
  'must be the name of a file: no "/", no "\\", no control characters, not "." or "..", at most 100 bytes',
)

/** A whole number, also as a string of digits. */
export const integer = numbersAs(
  plainNumber,
  z.union([z.int(), z.string().regex(/^\s*-?\d+\s*$/, 'must be an integer')]),
).transform(Number)

/** A number of seconds or the like, also as text. */
export const decimal = numbersAs(
  plainNumber,
  z.union([z.number(), z.string().regex(/^\s*-?\d+(\.\d+)?\s*$/, 'must be a number')]),
).transform(Number)

/** A switch: a boolean, or 0/1 in any spelling. */
export const flag = numbersAs(plainNumber, z.union([z.boolean(), z.literal([0, 1, '', '0', '1'])])).transform(
  value => value === true || value === 1 || value === '1',
)

/**
 * Says what a key means and what holds without it, for the reference and for editors of configurations
 * (`npm run reference`). What has no fixed default is said in words. `fallback` only documents: the code that reads the key applies it.
 */
export const key = <T extends z.ZodType>(schema: T, meaning: string, fallback?: unknown): T =>
  schema.meta({ description: meaning, ...(fallback === undefined ? {} : { fallback }) })

/** As `key`, of what may be missing. */
export const maybe = <T extends z.ZodType>(schema: T, meaning: string, fallback?: unknown) =>
  key(optional(schema), meaning, fallback)

/** A value expression or literal: read by the `functions` domain when its contexts are known. */
export const Value = z.unknown()

/**
 * An object that refuses unknown keys and says which known key each was probably meant to be.
 *
 * @param advice by key, what to write instead of a key that is often tried here
 */
export const strictObject = <Shape extends z.ZodRawShape>(
  shape: Shape,
  { advice = {} }: { advice?: Readonly<Record<string, string>> } = {},
) =>
  z.strictObject(shape, {
    error: issue => {
      if (issue.code !== 'unrecognized_keys') return undefined
      return issue.keys
        .map(key => {
          const hint = Object.hasOwn(advice, key) ? ` (${advice[key]})` : hintAt(key, Object.keys(shape))
          return `unknown key "${key}"${hint}`
        })
        .join('; ')
    },
  })

/** The values of the key by which the options of a union differ. */
export const kindsOf = (key: string, options: readonly z.ZodObject[]): string[] =>
  options.flatMap(({ shape }) => {
    const kind = shape[key]
    return kind instanceof z.ZodLiteral ? [...kind.values].map(String) : []
  })

/** The message for a union whose key names none of its options: says all of them, and the nearest one. */
export const unknownKind =
  (key: string, message: string, known: readonly string[]) =>
  (issue: z.core.$ZodRawIssue): string | undefined => {
    if (issue.code !== 'invalid_union') return undefined
    const given = isObject(issue.input) ? issue.input[key] : undefined
    if (typeof given !== 'string') return message
    const meant = didYouMean(given, known)
    const hint = meant === undefined ? '' : `did you mean "${meant}"? `
    return `${message} "${given}" (${hint}known: ${known.join(', ')})`
  }
