import * as z from 'zod'
import { parseDuration } from '../values/functions/duration.ts'
import { Ordering } from '../values/select/ordering.ts'
import { key, name, optional, Value } from './fields.ts'
import { goneAt } from './gone-keys.ts'
import { strictObject } from './strict-object.ts'

const Duration = z.string().refine(text => parseDuration(text) !== undefined, {
  error: 'must be a duration such as "P7D", "P1M" or "PT1H"',
})

/** `jobs[].incremental` (docs/reference/extractor-jobs.md#incremental-jobs). Ours: the largest value of a field. */
export const Incremental = strictObject(
  {
    idKey: key(name, 'Path in each item; the largest value is kept in the state.'),
    param: key(name, 'Name of the parameter that carries it in the next run.'),
    type: key(
      optional(Ordering),
      'How values are compared. Without it: two numbers, also as texts, as numbers, else as texts.',
    ),
    initial: key(optional(Value), 'Sent in the first run. Without it the first run sends no such parameter.'),
    lookback: key(
      optional(Duration),
      'Of values that are times: so much of what was read before is read again, for rows that reach the API late.',
    ),
    step: key(
      optional(Duration),
      'Of values that are times: how far one request looks, such as `P7D`. The run goes on from step to step until now. Needs `until` and `initial`.',
    ),
    until: key(optional(name), 'Name of the parameter that carries the end of a step.'),
    format: key(
      optional(name),
      'How times are sent where `lookback` or `step` works them out: `iso`, `date`, `seconds`, `milliseconds`, or a format of the function `date`.',
      'iso',
    ),
  },
  { gone: goneAt.incremental },
)

type MaybeIncremental = Partial<Record<'incremental', z.output<typeof Incremental> | undefined>>

/** What a job that looks step by step lacks. */
export const stepProblem = ({ incremental }: MaybeIncremental): string | undefined => {
  if (incremental === undefined) return undefined
  const { step, until, initial } = incremental
  if (step !== undefined && (until === undefined || initial === undefined))
    return '"incremental" with "step" needs "until" and "initial": without them each step would give all rows'
  if (step === undefined && until !== undefined) return '"until" of "incremental" is the end of a "step"'
  return undefined
}
