import * as z from 'zod'
import { timePattern } from '../values/functions/time-pattern.ts'
import { rowPath } from '../values/select/row-path.ts'
import { Expression, integer, key, list, name, optional, record, Value } from './fields.ts'
import { strictObject } from './strict-object.ts'

const path = name.refine(given => rowPath(given) !== undefined, 'must be a path such as "a.b" or "list[].x"')

const plainPath = path.refine(given => !given.includes('[]'), 'must not go through a list')

const castTypes = ['integer', 'number', 'boolean', 'date', 'timestamp', 'string'] as const

const CastTarget = strictObject({
  to: key(z.enum(castTypes), 'The type.'),
  format: key(
    optional(name),
    'Of `date` and `timestamp`: how the value is written, in letters of `date`. Of `number`: digits in all and after the point, such as `12,2`.',
  ),
  invalid: key(
    optional(z.enum(['fail', 'empty', 'keep'])),
    'What becomes of an impossible value: an error, an empty cell, or its text in a column without a type.',
    'fail',
  ),
}).superRefine(({ to, format }, context) => {
  const problem = formatProblem(to, format)
  if (problem !== undefined) context.addIssue({ code: 'custom', path: ['format'], message: problem })
})

export type CastTarget = z.output<typeof CastTarget>

const formatProblem = (to: CastTarget['to'], format: string | undefined): string | undefined => {
  if (format === undefined) return undefined
  if (to === 'date' || to === 'timestamp')
    return timePattern(format) === undefined ? `the format "${format}" has no letter of a date` : undefined
  if (to !== 'number') return `"format" belongs to date, timestamp and number, not to ${to}`
  return decimalDigits(format) === undefined
    ? 'the format of a number is two counts of digits such as "12,2", at most "38,37"'
    : undefined
}

/** Digits in all and after the point. */
export const decimalDigits = (format: string): { precision: number; scale: number } | undefined => {
  const [, all, after] = /^(\d{1,2}),(\d{1,2})$/.exec(format) ?? []
  const [precision, scale] = [Number(all), Number(after)]
  return precision >= 1 && precision <= 38 && scale <= precision && scale < 38
    ? { precision, scale }
    : undefined
}

/** One step of `records`: exactly one of these keys. */
const RecordStep = strictObject({
  filter: key(
    optional(Expression),
    'Only rows for which it is true go on: `{"expr": "row.status == \'open\'"}`.',
  ),
  rename: key(optional(record(path)), 'Old path to new path.'),
  remove: key(optional(z.union([path, z.array(path).min(1)])), 'Paths that are left out.'),
  add: key(
    optional(record(Value)),
    'Path to a value, or to an expression in which `{"row": "a.b"}` is a value of the row. One that is there is replaced.',
  ),
  flatten: key(
    optional(
      z.union([
        path,
        strictObject({
          path: key(
            optional(path),
            'The object whose members come up a level. Without it: all objects of the row.',
          ),
          separator: key(optional(z.string().max(10)), 'Between the names.', '_'),
          depth: key(
            optional(integer.refine(levels => levels >= 0, 'must not be negative')),
            'So many levels come up; deeper objects become JSON text. Without it: all.',
          ),
        }),
      ]),
    ),
    'Objects become fields of what holds them.',
  ),
  explode: key(
    optional(
      z.union([
        plainPath,
        strictObject({
          path: key(plainPath, 'The list.'),
          empty: key(
            optional(z.enum(['keep', 'drop'])),
            'A row whose list is empty or missing stays, or goes.',
            'keep',
          ),
          index: key(optional(plainPath), 'Name of a field for the position in the list, from 0.'),
        }),
      ]),
    ),
    'A list becomes one row for each element.',
  ),
  cast: key(
    optional(record(z.union([z.enum(castTypes), CastTarget]))),
    'Path to a type, or to an object with `to`, `format` and `invalid`.',
  ),
}).superRefine((step, context) => {
  const given = Object.entries(step).filter(([, value]) => value !== undefined)
  if (given.length !== 1)
    context.addIssue({ code: 'custom', message: 'a step of "records" has exactly one key, such as "rename"' })
  for (const problem of [...renameProblems(step.rename ?? {}), ...pathProblems(step)])
    context.addIssue({ code: 'custom', message: problem })
})

export type RecordStep = z.output<typeof RecordStep>

/** `jobs[].records` (docs/reference/extractor-records.md). Ours. */
export const Records = list(RecordStep).superRefine((steps, context) => {
  const firstCast = steps.findIndex(({ cast }) => cast !== undefined)
  const later = steps.findIndex(
    ({ cast }, index) => firstCast >= 0 && index > firstCast && cast === undefined,
  )
  if (later >= 0)
    context.addIssue({
      code: 'custom',
      path: [later],
      message: '"cast" comes last: types belong to the fields as they are in the end',
    })
})

/** Names of members are no values of a schema, so they are looked at here. */
const pathProblems = ({ rename, add, cast }: RecordStepKeys): string[] =>
  [...Object.keys(rename ?? {}), ...Object.keys(add ?? {}).map(plain), ...Object.keys(cast ?? {})]
    .filter(given => rowPath(given) === undefined)
    .map(given => `"${given}" is not a path such as "a.b"`)

interface RecordStepKeys {
  rename?: Record<string, string> | undefined
  add?: Record<string, unknown> | undefined
  cast?: Record<string, unknown> | undefined
}

/** A list has no single place for a new field. */
const plain = (given: string): string => (given.includes('[]') ? '' : given)

const renameProblems = (rename: Readonly<Record<string, string>>): string[] => {
  const problems: string[] = []
  const [from, to] = [Object.keys(rename), Object.values(rename)]
  const twice = to.find((path, index) => to.indexOf(path) !== index)
  if (twice !== undefined) problems.push(`two fields cannot both be renamed to "${twice}"`)
  for (const paths of [from, to]) {
    const outer = paths.find(path => paths.some(other => other.startsWith(`${path}.`)))
    if (outer !== undefined)
      problems.push(`"${outer}" holds another of the fields: rename it in a step of its own`)
  }
  for (const [before, after] of Object.entries(rename))
    if (/\[\]/.test(before + after) && parentOf(before) !== parentOf(after))
      problems.push(`"${before}" cannot leave its list: "${after}" is elsewhere`)
  return problems
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('.')))
