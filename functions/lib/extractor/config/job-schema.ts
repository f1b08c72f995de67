import * as z from 'zod'
import { readKeyColumns } from '../../wire/primary-key.ts'
import { parseDuration } from '../values/functions/moments.ts'
import { Ordering } from '../values/select/ordering.ts'
import { Authentication, requestShape } from './authentication-schema.ts'
import { flag, key, list, maybe, name, record, strictObject, text, Value } from './fields.ts'
import { ErrorRule, ResponseSettings } from './response-schema.ts'

const Mode = z.enum(['warn', 'fail'], {
  error: 'must be "warn" or "fail"',
})

const Total = z.union([
  name,
  strictObject({ header: key(name, 'The header that says it; of `0-24/319` the number behind the slash.') }),
])

const Settings = strictObject({
  mode: key(Mode, 'What becomes of a run of the job that did not get all rows.'),
  total: maybe(
    Total,
    'Where the API says how many rows there are: a path in the response, or a header. Without it: looked for, see below.',
  ),
})

/** A union says only that none fits: the message is that of the form that was meant. */
const problemOf = (given: unknown): string => {
  const issue = (typeof given === 'object' ? Settings : Mode).safeParse(given).error?.issues[0]
  const at = issue === undefined || issue.path.length === 0 ? '' : ` ("${issue.path.join('.')}")`
  return `"completeness" ${issue?.message ?? 'cannot be used'}${at}`
}

/** `jobs[].completeness` (docs/reference/extractor-jobs.md#completeness). Ours. */
const Completeness = z.union([Mode, Settings], { error: ({ input }) => problemOf(input) })

type Written = z.output<typeof Completeness>

export const completenessOf = (written: Written): z.output<typeof Settings> =>
  typeof written === 'string' ? { mode: written } : written

const Duration = z.string().refine(text => parseDuration(text) !== undefined, {
  error: 'must be a duration such as "P7D", "P1M" or "PT1H"',
})

/** `jobs[].incremental` (docs/reference/extractor-jobs.md#incremental-jobs). Ours: the largest value of a field. */
const Incremental = strictObject({
  idKey: key(name, 'Path in each item; the largest value is kept in the state.'),
  param: key(name, 'Name of the parameter that carries it in the next run.'),
  type: maybe(
    Ordering,
    'How values are compared. Without it: two numbers, also as texts, as numbers, else as texts.',
  ),
  initial: maybe(Value, 'Sent in the first run. Without it the first run sends no such parameter.'),
  lookback: maybe(
    Duration,
    'Of values that are times: so much of what was read before is read again, for rows that reach the API late.',
  ),
  step: maybe(
    Duration,
    'Of values that are times: how far one request looks, such as `P7D`. The run goes on from step to step until now. Needs `until` and `initial`.',
  ),
  until: maybe(name, 'Name of the parameter that carries the end of a step.'),
  format: maybe(
    name,
    'How times are sent where `lookback` or `step` works them out: `iso`, `date`, `seconds`, `milliseconds`, or a format of the function `date`.',
    'iso',
  ),
})

type MaybeIncremental = Partial<Record<'incremental', z.output<typeof Incremental> | undefined>>

/** What a job that looks step by step lacks. */
const stepProblem = ({ incremental }: MaybeIncremental): string | undefined => {
  if (incremental === undefined) return undefined
  const { step, until, initial } = incremental
  if (step !== undefined && (until === undefined || initial === undefined))
    return '"incremental" with "step" needs "until" and "initial": without them each step would give all rows'
  if (step === undefined && until !== undefined) return '"until" of "incremental" is the end of a "step"'
  return undefined
}

/** `silence` of `config` or of a job (docs/reference/extractor-jobs.md#silence). Ours. */
export const Silence = z.enum(['warn', 'fail', 'allow'])

/** The body of a job's requests where `params` are not all of it. Ours (docs/reference/extractor-jobs.md#text-bodies). */
const Body = strictObject({
  text: maybe(
    Value,
    'The body; may be an expression. `{name}` stands for the param or the placeholder of that name.',
  ),
  json: maybe(
    Value,
    'The body as JSON; values may be expressions. `"{name}"` is the value of that param, and is left out while there is none. Params that it does not name go into the query.',
  ),
  form: maybe(record(Value), 'The same as a form.'),
  method: key(z.enum(['GET', 'POST']).default('POST'), 'How it is sent.', 'POST'),
  contentType: maybe(name, 'Of `text`: sent as `Content-Type`.', 'text/plain; charset=utf-8'),
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
    delimiter: maybe(z.string(), 'What separates its steps.', '.'),
  }),
])

const Placeholder = z.union([
  text,
  z.looseObject({
    path: key(name, 'Path in the parent row.'),
    missing: maybe(
      z.enum(['fail', 'skip']),
      'A parent row without a value there is an error, or gets no request.',
      'fail',
    ),
  }), // the other keys are a value expression: `function` and `args`
])

/** Names of columns, as a list or with commas between. */
const KeyColumns = z.union([z.string().transform(readKeyColumns), z.array(name)])

const jobShape = {
  ...requestShape,
  id: maybe(text, 'Of two jobs with one `id` the later takes the place of the earlier.'),
  endpoint: key(
    name,
    'Relative to the base address, from its root, or absolute. May have a query, and placeholders in a child job.',
  ),
  dataType: maybe(text, 'Name of the table, and key in `mappings`. Without it: the endpoint.'),
  dataField: maybe(
    DataField,
    'Path of the items in the response. `.` is the whole response. Without it: found by itself.',
  ),
  responseFilter: maybe(
    z.union([text, z.array(text)]),
    'Paths whose values become JSON text in one column: `a.b`, `list[].x`.',
  ),
  responseFilterDelimiter: maybe(z.string(), 'What separates the steps of these paths.', '.'),
  placeholders: maybe(
    record(Placeholder),
    'By name in the endpoint: a path in the parent row, or an object with `path`, `function` and `args`.',
  ),
  recursionFilter: maybe(text, 'Which parent rows this child job runs for.'),
  scroller: maybe(text, 'Which pagination of `multiple` is used.'),
  userData: maybe(
    z.unknown(),
    'Columns added to the rows, over those of `config`. A scalar becomes the column `job_parent_id`.',
  ),
  body: maybe(
    Body,
    'Ours: the body as text, such as XML, or JSON beside a query, see [text bodies](#text-bodies).',
  ),
  response: maybe(
    ResponseSettings,
    'Ours: what the answers are written in, see [responses](extractor-responses.md). Takes the place of `api.response`.',
  ),
  authentication: maybe(
    z.union([z.literal(false), Authentication]),
    'Ours: credentials of its own requests, in place of `api.authentication`; `false`: none. Jobs with equal ones share a login.',
  ),
  errorRules: maybe(
    z.array(ErrorRule),
    'Ours: [error rules](extractor-requests.md#error-rules) of its own requests, looked at before those of `api.http`.',
  ),
  silence: maybe(
    Silence,
    'Ours: what becomes of the run when the job ends although the answers say that there is more, in place of that of `config`, see [silence](#silence).',
  ),
  failWhenEmpty: maybe(flag, 'Ours: a job without any row is an error.', false),
  incremental: maybe(
    Incremental,
    'Ours: asks only for what changed since the last run, by the largest value of a field.',
  ),
  completeness: maybe(Completeness, 'Ours: compares the rows with the total that the API says.'),
  primaryKey: maybe(
    KeyColumns,
    'Ours: key columns of the table, as a list or with commas between. Not together with a mapping.',
  ),
}

const FlatJob = strictObject(jobShape)

/** One job of `config.jobs` as written (docs/reference/extractor-jobs.md#jobs). */
export interface Job extends z.output<typeof FlatJob> {
  children?: Job[] | undefined
}

/** All jobs of a tree, parents first. */
export function* everyJob(jobs: readonly Job[]): Generator<Job> {
  for (const job of jobs) {
    yield job
    yield* everyJob(job.children ?? [])
  }
}

/** Name of the table, and key of the mapping. */
export const dataTypeOf = (job: Job): string => job.dataType || job.endpoint

export const Job: z.ZodType<Job> = strictObject({
  ...jobShape,
  children: maybe(
    z.lazy(() => list(Job)),
    'Jobs that run for each row of this one.',
  ),
}).superRefine((job, context) => {
  for (const problem of [bodyProblem(job), stepProblem(job)])
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
})
