import * as z from 'zod'
import { decimal, integer, key, name, optional, Scalar } from './fields.ts'
import { requestShape } from './request-schema.ts'
import { strictObject } from './strict-object.ts'

const { endpoint: _, ...stepShape } = requestShape

const poll = strictObject({
  ...stepShape,
  endpoint: key(
    name,
    'Where its state is asked for. `{path}` is a value of the answer that made the report.',
  ),
})

const download = strictObject({
  ...stepShape,
  endpoint: key(
    name,
    'Where the report is. `{path}` is a value of the last answer of `poll`, else of the first: `{result.url}` may be a whole address. Of a list there, each element is read.',
  ),
})

const seconds = decimal.refine(value => value > 0, 'must be more than 0')

/** A report that a job asks for, waits for and then reads. Ours (docs/reference/extractor-reports.md). */
export const Report = strictObject({
  poll: key(poll, 'How the state of the report is asked for.'),
  download: key(download, 'Where the report is read, page by page where there is a pagination.'),
  status: key(name, 'Path of the state in the answer of `poll`.'),
  ready: key(z.array(Scalar).min(1), 'States in which the report can be read.'),
  failed: key(optional(z.array(Scalar)), 'States in which it never will be: an error.'),
  empty: key(
    optional(z.array(Scalar)),
    'States in which there is nothing to read: the report has no rows, and nothing is downloaded.',
  ),
  message: key(optional(name), 'Path of what the API says of a failure.'),
  attempts: key(
    optional(integer.refine(value => value >= 1 && value <= 10, 'must be from 1 to 10')),
    'How often a report that failed or came too late is asked for, all together.',
    1,
  ),
  interval: key(optional(seconds), 'Seconds before the first poll.', 10),
  backoff: key(
    optional(decimal.refine(value => value >= 1 && value <= 10, 'must be from 1 to 10')),
    'Each wait is so many times the one before.',
    1.5,
  ),
  maxInterval: key(
    optional(seconds),
    'Longest wait between polls, in seconds, unless the API says one in `Retry-After`.',
    60,
  ),
  maxWait: key(
    optional(seconds),
    'After so many seconds a report that is not ready is an error, however many legs the run has.',
    3600,
  ),
})

export type ReportSettings = z.output<typeof Report>
