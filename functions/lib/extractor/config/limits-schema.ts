import * as z from 'zod'
import { decimal, integer, key, optional, strictObject } from './fields.ts'
import { goneAt } from './gone-keys.ts'

const count = integer.refine(value => value > 0, 'must be above 0')
const span = decimal.refine(value => value > 0, 'must be above 0')

/** `api.limits` (docs/reference/extractor-requests.md#limits-of-a-run). Ours. */
export const Limits = strictObject({
  requests: key(optional(count), 'Requests, with logins, redirects and retries.'),
  bytes: key(optional(count), 'Bytes of all answers together, unpacked.'),
  minutes: key(optional(span), 'Minutes since the run began, waits among them.'),
  rows: key(optional(count), 'Rows of all tables together.'),
  do: key(
    optional(z.enum(['fail', 'stop'])),
    'What becomes of a run that would need more: an error, or an end with what was read and a warning.',
    'fail',
  ),
})

export type Limits = z.output<typeof Limits>

/** `api.http.budget` (docs/reference/extractor-requests.md#budget). Ours. */
export const Budget = strictObject(
  {
    requests: key(count, 'Requests that are sent at most within `seconds`.'),
    seconds: key(span, 'Length of the span; it holds for any span of that length.'),
  },
  { gone: goneAt.budget },
)

export type Budget = z.output<typeof Budget>
