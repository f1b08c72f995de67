import * as z from 'zod'
import type { ErrorRule } from './error-rules-schema.ts'
import { integer, key, optional } from './fields.ts'
import { strictObject } from './strict-object.ts'

const count = integer.refine(value => value > 0, 'must be above 0')

const ANSWERS = 10_000
const BYTES = 64 * 1024 ** 2

/** `api.http.conditional` (docs/reference/extractor-requests.md#conditional-requests). Ours. */
export const Conditional = z.union(
  [
    z.boolean(),
    strictObject({
      answers: key(optional(count), 'How many answers are kept at most.', ANSWERS),
      bytes: key(optional(count), 'How many bytes they may have together, unpacked.', BYTES),
    }),
  ],
  { error: '"conditional" must be true or false, or an object with "answers" and "bytes"' },
)

interface Http {
  conditional?: z.output<typeof Conditional> | undefined
  errorRules?: readonly ErrorRule[] | undefined
}

export interface ConditionalSettings {
  answers: number
  bytes: number
}

/** A rule that looks at headers of good answers needs those of now. */
const readsHeaders = ({ when: { status, header } }: ErrorRule): boolean =>
  header !== undefined && [status ?? []].flat().some(one => ['200', '2xx'].includes(String(one)))

/** Undefined: every answer is asked for whole. */
export const conditionalOf = (http: Http | undefined): ConditionalSettings | undefined => {
  const { conditional: written = false, errorRules = [] } = http ?? {}
  if (written === false || errorRules.some(readsHeaders)) return undefined
  const given = written === true ? {} : written
  return { answers: given.answers ?? ANSWERS, bytes: given.bytes ?? BYTES }
}
