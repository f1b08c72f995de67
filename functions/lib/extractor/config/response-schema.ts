import * as z from 'zod'
import { plainNumber } from '../../json/json-value.ts'
import type { Authentication } from './authentication-schema.ts'
import { decimal, flag, integer, key, maybe, name, Scalar, strictObject, text } from './fields.ts'

const Status = z
  .preprocess(plainNumber, z.union([z.number(), z.string()]))
  .refine(
    status => /^[1-5](\d\d|xx)$/.test(String(status)),
    'must be a status such as 404, or a class such as "4xx"',
  )

const comparisons = {
  equals: maybe(z.union([Scalar, z.array(Scalar)]), 'The value, or one of a list.'),
  contains: maybe(name, 'A part of its text.'),
  exists: maybe(flag, 'Whether it is there.'),
}

const comparing = <Shape extends z.ZodRawShape>(shape: Shape) =>
  strictObject({ ...shape, ...comparisons }).refine(
    test =>
      Object.keys(comparisons).filter(name => test[name as keyof typeof test] !== undefined).length === 1, // one of its keys
    'give exactly one of "equals", "contains" and "exists"',
  )

const HeaderTest = comparing({ name: key(name, 'Name of the header.') })

const BodyTest = comparing({
  path: maybe(name, 'Path in the response. Without it: the whole body as text.'),
})

/** What a response has to be like; all that is given has to hold (docs/reference/extractor-requests.md#error-rules). */
export const ResponseTest = strictObject({
  status: maybe(
    z.union([Status, z.array(Status)]),
    'A status, a class such as `4xx`, or a list of them. Without it any from 400 on.',
  ),
  header: maybe(HeaderTest, 'A header, by one of the three comparisons.'),
  body: maybe(BodyTest, 'A value of the body, or all of it, in the same way.'),
}).refine(
  test => Object.values(test).some(given => given !== undefined),
  'must name a status, header or body',
)

export type ResponseTest = z.output<typeof ResponseTest>
export type Comparison = Pick<z.output<typeof BodyTest>, 'equals' | 'contains' | 'exists'>

export const isStatusClass = (status: string | number): status is string => String(status).endsWith('xx')

const waits = [
  decimal,
  strictObject({ header: key(name, 'The header that says the seconds.') }),
  strictObject({ path: key(name, 'The path in the response that says them.') }),
] as const

const Wait = z.union(waits, {
  error: '"wait" must be a number of seconds, {"header": name} or {"path": path in the response}',
})

/** One rule of `api.http.errorRules` (docs/reference/extractor-requests.md#error-rules). Ours. */
export const ErrorRule = strictObject({
  when: key(ResponseTest, 'What the response has to be like; all that is given has to hold.'),
  do: key(z.enum(['fail', 'ignore', 'retry', 'login', 'stop']), 'What becomes of it, see below.'),
  wait: maybe(
    Wait,
    'Seconds before a `retry`, or where the response says them. Without it as for any retry.',
  ),
  message: maybe(text, 'Text in front of the error or the warning.'),
}).refine(rule => rule.wait === undefined || rule.do === 'retry', '"wait" belongs to "do": "retry"')

export type ErrorRule = z.output<typeof ErrorRule>

export const NO_LOGIN = '"do": "login" needs an authentication that logs in'

export const isLoginPossible = (
  authentication: Authentication | false | undefined,
  rules: readonly ErrorRule[] = [],
): boolean =>
  rules.every(rule => rule.do !== 'login') ||
  (authentication && ['login', 'oauth20.login', 'oauth2', 'jwt'].includes(authentication.type)) === true

const character = z.string().refine(value => [...value].length === 1, 'must be one character')

/** What only CSV has, with what holds without it. */
const ofCsv = { delimiter: ',', quote: '"', escape: undefined, columns: undefined, skipLines: 0 } as const

/** What the answers of a job are written in. Ours (docs/reference/extractor-responses.md). */
export const ResponseSettings = strictObject({
  format: key(
    z.enum(['json', 'jsonl', 'csv']),
    'What the answers are written in; `jsonl` has a JSON value on each line.',
  ),
  encoding: maybe(
    z.enum(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-2', 'windows-1250']),
    'Without it: as `Content-Type` says, else `utf-8`.',
  ),
  delimiter: maybe(character, 'CSV: what separates cells.', ','),
  quote: maybe(character, 'CSV: what surrounds a cell.', '"'),
  escape: maybe(character, 'CSV: what stands before a quote inside of a cell. Without it: as `quote`.'),
  columns: maybe(
    z.array(name).min(1),
    'CSV: names of the columns of a file without a header. Without it: the first row.',
  ),
  skipLines: maybe(
    integer.refine(lines => lines >= 0, 'must not be negative'),
    'CSV: lines before the header that are left out.',
    0,
  ),
}).superRefine((settings, context) => {
  if (settings.format === 'csv') return
  for (const [option, fallback] of Object.entries(ofCsv)) {
    const given = settings[option as keyof typeof ofCsv] // its own names
    if (given !== undefined && given !== fallback)
      context.addIssue({ code: 'custom', path: [option], message: `"${option}" belongs to "format": "csv"` })
  }
})

export type ResponseSettings = z.output<typeof ResponseSettings>
