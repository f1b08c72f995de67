import * as z from 'zod'
import { decimal, name, optional, text } from './fields.ts'
import { ResponseTest } from './response-test-schema.ts'
import { strictObject } from './strict-object.ts'

const Wait = z.union([decimal, strictObject({ header: name }), strictObject({ path: name })], {
  error: '"wait" must be a number of seconds, {"header": name} or {"path": path in the response}',
})

/** One rule of `api.http.errorRules` (docs/reference/extractor.md#error-rules). Ours. */
export const ErrorRule = strictObject({
  when: ResponseTest,
  do: z.enum(['fail', 'ignore', 'retry', 'login', 'stop']),
  wait: optional(Wait),
  message: optional(text),
}).refine(rule => rule.wait === undefined || rule.do === 'retry', '"wait" belongs to "do": "retry"')

export type ErrorRule = z.output<typeof ErrorRule>
