import { z } from 'zod'
import { isNumber, isObject, plainNumber } from '../../lib/json/json-value.ts'
import { isIndex } from './parse-fields.ts'

/*
 * Building blocks of request schemas that read every spelling the clients use. Each results in its plain type, and the
 * OpenAPI document shows how to send it.
 */

const missing = 'This field is missing.'

/** Text; a number in a JSON body counts as its digits. Lone surrogates, which no store keeps, are replaced. */
export const text = ({ min = 0, max = 10_000 }: { min?: number; max?: number } = {}) =>
  z
    .preprocess(
      value => (isNumber(value) ? String(value) : typeof value === 'string' ? value.toWellFormed() : value),
      z
        .string({
          error: issue => (issue.input === undefined ? missing : 'This value should be of type string.'),
        })
        .min(min, {
          error:
            min === 1
              ? 'This value should not be blank.'
              : `This value should have at least ${min} characters.`,
        })
        .max(max, { error: `This value should have at most ${max} characters.` }),
    )
    .meta({ type: 'string', maxLength: max })

const booleans = new Map<unknown, boolean>([
  [1, true],
  ['1', true],
  ['true', true],
  [0, false],
  ['0', false],
  ['false', false],
  ['', false],
])

/** true/false, 1/0, "1"/"0", "true"/"false" in any case, and "" for false. */
export const flag = () =>
  z
    .preprocess(
      value =>
        booleans.get(typeof value === 'string' ? value.trim().toLowerCase() : plainNumber(value)) ?? value,
      z.boolean({ error: 'This value should be of type boolean.' }),
    )
    .meta({ type: 'boolean' })

/** An integer, also as text. */
export const integer = ({ min = 0, max = Number.MAX_SAFE_INTEGER }: { min?: number; max?: number } = {}) =>
  z
    .preprocess(
      value =>
        typeof value === 'string' && /^[+-]?\d{1,16}$/.test(value.trim())
          ? Number(value)
          : plainNumber(value),
      z
        .int({
          error: issue => (issue.input === undefined ? missing : 'This value should be of type integer.'),
        })
        .min(min, { error: `This value should be ${min} or more.` })
        .max(max, { error: `This value should be ${max} or less.` }),
    )
    .meta({ type: 'integer' })

/**
 * A list. PHP writes a list with gaps as an object in JSON: `{"0": "a", "12": "b"}` is a list of two, `{}` an empty one.
 * */
export const listOf = <Item extends z.ZodType>(item: Item, { max = 10_000 }: { max?: number } = {}) =>
  z.preprocess(
    withoutGaps,
    z
      .array(item, {
        error: issue => (issue.input === undefined ? missing : 'This value should be of type array.'),
      })
      .max(max, {
        error: `This collection should contain ${max} ${max === 1 ? 'element' : 'elements'} or less.`,
      }),
  )

/** The values of an object whose keys are all indexes, in their order. Anything else stays as it is. */
export const withoutGaps = (value: unknown): unknown => {
  if (!isObject(value)) return value
  const entries = Object.entries(value)
  return entries.every(([key]) => isIndex(key)) ? entries.map(([, item]) => item) : value
}

/** A list of texts. A single text is not a list: `tags=a` is refused where `tags[]=a` is meant. */
export const textList = ({ max = 10_000, itemMax = 1_000 }: { max?: number; itemMax?: number } = {}) =>
  listOf(text({ max: itemMax }), { max })

/** The parts of a comma list, as in `include=columns,metadata`. */
export const commaList = () =>
  z
    .preprocess(
      value =>
        typeof value === 'string'
          ? value
              .split(',')
              .map(part => part.trim())
              .filter(Boolean)
          : value,
      textList(),
    )
    .meta({ type: 'string', example: 'columns,metadata' })

/** An optional field that is also unset when it is empty, because forms send it so. */
export const unlessBlank = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(value => (value === '' ? undefined : value), schema.optional())

/**
 * The query parameter `include`: a comma list of these names. An absent parameter means `byDefault`, an empty one
 * (`include=`) nothing at all. Any other name is refused, and the message lists those that exist.
 */
export const includeOf = <const Name extends string>(
  names: readonly Name[],
  byDefault: readonly NoInfer<Name>[] = [],
) =>
  commaList()
    .superRefine((given, context) => {
      const unknown = given.filter(name => !names.some(known => known === name))
      if (unknown.length === 0) return
      context.addIssue({
        code: 'custom',
        message:
          `Invalid include parameters: "${unknown.join(', ').slice(0, 200)}". ` +
          `Only following are allowed: ${names.join(', ')}.`,
      })
    })
    .default([...byDefault])

/** A documented flag of which only this value is offered. The other one is refused with the reason. */
export const onlyFlag = (offered: boolean, reason: string) =>
  flag()
    .refine(given => given === offered, { error: reason })
    .optional()

/** A documented text of which only these values are offered. */
export const onlyText = (offered: readonly [string, ...string[]], reason: string) =>
  z.enum(offered, { error: reason }).optional()
