import * as z from 'zod'
import { key, name, optional } from './fields.ts'
import { goneAt } from './gone-keys.ts'
import { strictObject } from './strict-object.ts'

const Mode = z.enum(['warn', 'fail'], {
  error: ({ input }) =>
    input === 'repair' ? '"repair" is gone: use "fail", and run again' : 'must be "warn" or "fail"',
})

const Total = z.union([
  name,
  strictObject({ header: key(name, 'The header that says it; of `0-24/319` the number behind the slash.') }),
])

const Settings = strictObject(
  {
    mode: key(Mode, 'What becomes of a run of the job that did not get all rows.'),
    total: key(
      optional(Total),
      'Where the API says how many rows there are: a path in the response, or a header. Without it: looked for, see below.',
    ),
  },
  { gone: goneAt.completeness },
)

/** A union says only that none fits: the message is that of the form that was meant. */
const problemOf = (given: unknown): string => {
  const issue = (typeof given === 'object' ? Settings : Mode).safeParse(given).error?.issues[0]
  const at = issue === undefined || issue.path.length === 0 ? '' : ` ("${issue.path.join('.')}")`
  return `"completeness" ${issue?.message ?? 'cannot be used'}${at}`
}

/** `jobs[].completeness` (docs/reference/extractor-jobs.md#completeness). Ours. */
export const Completeness = z.union([Mode, Settings], { error: ({ input }) => problemOf(input) })

type Written = z.output<typeof Completeness>

export const completenessOf = (written: Written): z.output<typeof Settings> =>
  typeof written === 'string' ? { mode: written } : written
