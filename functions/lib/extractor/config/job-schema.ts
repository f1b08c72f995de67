import * as z from 'zod'
import { readKeyColumns } from '../../wire/primary-key.ts'
import { Authentication } from './authentication-schema.ts'
import { Completeness } from './completeness-schema.ts'
import { ErrorRule } from './error-rules-schema.ts'
import { flag, key, list, name, optional, record, text, Value } from './fields.ts'
import { Incremental, stepProblem } from './incremental-schema.ts'
import { requestShape } from './request-schema.ts'
import { ResponseSettings } from './response-schema.ts'
import { Silence } from './silence-schema.ts'
import { strictObject } from './strict-object.ts'

/** The body of a job's requests where `params` are not all of it. Ours (docs/reference/extractor-jobs.md#text-bodies). */
const Body = strictObject({
  text: key(
    optional(Value),
    'The body; may be an expression. `{name}` stands for the param or the placeholder of that name.',
  ),
  json: key(
    optional(Value),
    'The body as JSON; values may be expressions. `"{name}"` is the value of that param, and is left out while there is none. Params that it does not name go into the query.',
  ),
  form: key(optional(record(Value)), 'The same as a form.'),
  method: key(z.enum(['GET', 'POST']).default('POST'), 'How it is sent.', 'POST'),
  contentType: key(optional(name), 'Of `text`: sent as `Content-Type`.', 'text/plain; charset=utf-8'),
}).refine(
  body => [body.text, body.json, body.form].filter(given => given !== undefined).length === 1,
  'give exactly one of "text", "json" and "form"',
)

interface MaybeBody {
  body?: unknown
  method?: string | undefined
}

/** What a job with a text body cannot have. */
const bodyProblem = ({ body, method }: MaybeBody): string | undefined => {
  if (body === undefined) return undefined
  if (method === 'FORM') return 'a job with "body" and the method FORM has its fields in "form" of the body'
  return undefined
}

const DataField = z.union([
  text,
  strictObject({
    path: key(name, 'The path.'),
    delimiter: key(optional(z.string()), 'What separates its steps.', '.'),
  }),
])

const Placeholder = z.union([
  text,
  z.looseObject({
    path: key(name, 'Path in the parent row.'),
    missing: key(
      optional(z.enum(['fail', 'skip'])),
      'A parent row without a value there is an error, or gets no request.',
      'fail',
    ),
  }), // the other keys are a value expression: `function` and `args`
])

/** Names of columns, as a list or with commas between. */
const KeyColumns = z.union([z.string().transform(readKeyColumns), z.array(name)])

const jobShape = {
  ...requestShape,
  id: key(optional(text), 'Of two jobs with one `id` the later takes the place of the earlier.'),
  endpoint: key(
    name,
    'Relative to the base address, from its root, or absolute. May have a query, and placeholders in a child job.',
  ),
  dataType: key(optional(text), 'Name of the table, and key in `mappings`. Without it: the endpoint.'),
  dataField: key(
    optional(DataField),
    'Path of the items in the response. `.` is the whole response. Without it: found by itself.',
  ),
  responseFilter: key(
    optional(z.union([text, z.array(text)])),
    'Paths whose values become JSON text in one column: `a.b`, `list[].x`.',
  ),
  responseFilterDelimiter: key(optional(z.string()), 'What separates the steps of these paths.', '.'),
  placeholders: key(
    optional(record(Placeholder)),
    'By name in the endpoint: a path in the parent row, or an object with `path`, `function` and `args`.',
  ),
  each: key(
    optional(record(Value)),
    'Ours: lists by name; the job runs once for each combination of their values, see [lists](#lists-of-values).',
  ),
  recursionFilter: key(optional(text), 'Which parent rows this child job runs for.'),
  scroller: key(optional(text), 'Which pagination of `multiple` is used.'),
  userData: key(
    optional(z.unknown()),
    'Columns added to the rows, over those of `config`. A scalar becomes the column `job_parent_id`.',
  ),
  body: key(
    optional(Body),
    'Ours: the body as text, such as XML, or JSON beside a query, see [text bodies](#text-bodies).',
  ),
  response: key(
    optional(ResponseSettings),
    'Ours: what the answers are written in, see [responses](extractor-responses.md). Takes the place of `api.response`.',
  ),
  authentication: key(
    optional(z.union([z.literal(false), Authentication])),
    'Ours: credentials of its own requests, in place of `api.authentication`; `false`: none. Jobs with equal ones share a login.',
  ),
  errorRules: key(
    optional(z.array(ErrorRule)),
    'Ours: [error rules](extractor-requests.md#error-rules) of its own requests, looked at before those of `api.http`.',
  ),
  silence: key(
    optional(Silence),
    'Ours: what becomes of the run when the job ends although the answers say that there is more, in place of that of `config`, see [silence](#silence).',
  ),
  failWhenEmpty: key(optional(flag), 'Ours: a job without any row is an error.', false),
  incremental: key(
    optional(Incremental),
    'Ours: asks only for what changed since the last run, by the largest value of a field.',
  ),
  completeness: key(optional(Completeness), 'Ours: compares the rows with the total that the API says.'),
  primaryKey: key(
    optional(KeyColumns),
    'Ours: key columns of the table, as a list or with commas between. Not together with a mapping.',
  ),
}

const FlatJob = strictObject(jobShape)

/** One job of `config.jobs` as written (docs/reference/extractor-jobs.md#jobs). */
export interface Job extends z.output<typeof FlatJob> {
  children?: Job[] | undefined
}

export const Job: z.ZodType<Job> = strictObject({
  ...jobShape,
  children: key(optional(z.lazy(() => list(Job))), 'Jobs that run for each row of this one.'),
}).superRefine((job, context) => {
  for (const problem of [bodyProblem(job), stepProblem(job)])
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
})
