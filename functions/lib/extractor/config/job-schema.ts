import * as z from 'zod'
import { readKeyColumns } from '../../storage/tables/primary-key.ts'
import { flag, list, name, optional, optionalUnlessEmpty, record, text, Value } from './fields.ts'
import { strictObject } from './strict-object.ts'

/** Request parameters: an object, or a list when a POST body has to be one. */
export const Params = z.union([record(Value), z.array(Value)])

export const Method = z
  .string()
  .transform(method => method.toUpperCase())
  .pipe(z.enum(['GET', 'POST', 'FORM'], { error: 'method must be GET, POST or FORM' }))

/** What a request is made of: a job, `defaultOptions`, `loginRequest` and `scrollRequest` share it. */
export const requestShape = {
  endpoint: optional(text),
  params: optional(Params),
  method: optionalUnlessEmpty(Method),
  headers: optional(record(Value)),
}

const DataField = z.union([text, strictObject({ path: name, delimiter: optional(z.string()) })])

const Placeholder = z.union([
  text,
  z.looseObject({ path: name }), // the other keys are a value expression: `function` and `args`
])

/** A high-water mark kept in the state between runs (ours; docs/reference/extractor.md#incremental-jobs). */
const Incremental = strictObject({
  idKey: name,
  param: name,
  type: z.enum(['number', 'text', 'date']).default('text'),
  initial: optional(Value),
})

/** Names of columns, as a list or with commas between. */
const KeyColumns = z.union([z.string().transform(readKeyColumns), z.array(name)])

const jobShape = {
  ...requestShape,
  id: optional(text),
  endpoint: name,
  dataType: optional(text),
  dataField: optional(DataField),
  responseFilter: optional(z.union([text, z.array(text)])),
  responseFilterDelimiter: optional(z.string()),
  placeholders: optional(record(Placeholder)),
  recursionFilter: optional(text),
  scroller: optional(text),
  userData: optional(z.unknown()),
  failWhenEmpty: optional(flag),
  incremental: optional(Incremental),
  primaryKey: optional(KeyColumns),
}

const FlatJob = strictObject(jobShape)

/** One job of `config.jobs` as written (docs/reference/extractor.md#jobs). */
export interface Job extends z.output<typeof FlatJob> {
  children?: Job[] | undefined
}

export const Job: z.ZodType<Job> = strictObject({
  ...jobShape,
  children: optional(z.lazy(() => list(Job))),
})
