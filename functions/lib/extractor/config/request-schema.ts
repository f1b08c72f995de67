import * as z from 'zod'
import { key, optional, optionalUnlessEmpty, record, text, Value } from './fields.ts'

/** Request parameters: an object, or a list when a POST body has to be one. */
export const Params = z.union([record(Value), z.array(Value)])

export const Method = z
  .string()
  .transform(method => method.toUpperCase())
  .pipe(z.enum(['GET', 'POST', 'FORM'], { error: 'method must be GET, POST or FORM' }))

/** What a request is made of: a job, `defaultOptions`, `loginRequest` and `scrollRequest` share it. */
export const requestShape = {
  endpoint: key(optional(text), 'Where it goes: relative to the base address, from its root, or absolute.'),
  params: key(
    optional(Params),
    'Query or body, see requests. Values may be expressions with `attr` and `time`, worked out once per run of the job.',
  ),
  method: key(optionalUnlessEmpty(Method), '`GET`, `POST` (JSON body) or `FORM` (form body).', 'GET'),
  headers: key(optional(record(Value)), 'Headers of its own.'),
}
