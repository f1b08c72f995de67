import * as z from 'zod'
import { parseDuration } from '../values/functions/duration.ts'
import { Ordering } from '../values/select/ordering.ts'
import { key, name, optional, Value } from './fields.ts'
import { strictObject } from './strict-object.ts'

const Duration = z.string().refine(text => parseDuration(text) !== undefined, {
  error: 'must be a duration such as "P7D", "P1M" or "PT1H"',
})

const FixedDuration = Duration.refine(text => parseDuration(text)?.months === 0, {
  error: 'must be a duration of fixed length such as "P1D" or "PT1S"',
})

const Windows = strictObject({
  cursor: key(name, 'Path in each item of the time of its last change.'),
  param: key(optional(name), 'Name of the parameter that carries where reading begins.'),
  until: key(optional(name), 'Name of the parameter that carries the end of a window.'),
  start: key(
    optional(Value),
    'Where the first run begins: a time, a Unix time or an expression. Without it: with the first row there is.',
  ),
  end: key(optional(Value), 'Up to where is read, at most up to the start of the run, which is the default.'),
  step: key(optional(Duration), 'Length of a window: `P7D`, `P1M`, `PT6H`. Without it: one window.'),
  lookback: key(
    optional(Duration),
    'So much of what was read before is read again, for rows that reach the API late.',
  ),
  granularity: key(
    optional(FixedDuration),
    'For an API whose end belongs to the window: the end is sent so much earlier, `PT1S` or `P1D`.',
  ),
  overlap: key(
    optional(FixedDuration),
    'For an API whose start does not belong to the window: the start is sent so much earlier, `PT1S` or `P1D`.',
  ),
  format: key(
    optional(name),
    'How times are sent: `iso`, `date`, `seconds`, `milliseconds`, or a format of the function `date`.',
    'iso',
  ),
})

const Marks = strictObject({
  idKey: key(name, 'Path in each item; the largest value is kept in the state.'),
  param: key(name, 'Name of the parameter that carries it in the next run.'),
  type: key(
    optional(Ordering),
    'How values are compared. Without it: two numbers of JSON as numbers, else as texts.',
  ),
  initial: key(optional(Value), 'Sent in the first run. Without it the first run sends no such parameter.'),
})

const hasCursor = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && 'cursor' in given

/** A union says only that none fits: the message is that of the kind that was meant. */
const problemOf = (given: unknown): string => {
  const issue = (hasCursor(given) ? Windows : Marks).safeParse(given).error?.issues[0]
  const at = issue === undefined || issue.path.length === 0 ? '' : ` ("${issue.path.join('.')}")`
  return `${issue?.message ?? 'cannot be used'}${at}`
}

/** `jobs[].incremental` (docs/reference/extractor-jobs.md#incremental-jobs). Ours: a largest value, or windows of time. */
export const Incremental = z.union([Windows, Marks], { error: ({ input }) => problemOf(input) })

type Written = z.output<typeof Incremental>
export type WindowSettings = z.output<typeof Windows>
type MarkSettings = z.output<typeof Marks>

interface MaybeIncremental {
  incremental?: Written | undefined
}

export const windowsOf = ({ incremental }: MaybeIncremental): WindowSettings | undefined =>
  incremental !== undefined && 'cursor' in incremental ? incremental : undefined

export const marksOf = ({ incremental }: MaybeIncremental): MarkSettings | undefined =>
  incremental !== undefined && 'idKey' in incremental ? incremental : undefined
